import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { byOperator, pageOf, positionAfter, toCursor, timeAndText, type ChangeAuthor } from '@tradewind/service-kit';
import { ServiceError } from '@tradewind/shared-types';
import { errors } from 'oidc-provider';
import { AppConfig } from '../app.config.js';
import { AuditLog, type ChangeRecord } from '../audit/audit-log.js';
import { accountClientId } from '../oidc/account-client.js';
import { CurrentProvider } from '../oidc/current-provider.js';
import { assertLogoutUri, introspectsAudience } from '../oidc/provider-configuration.js';
import { findAudience } from '../oidc/policy/resources.js';
import { ClientRecords } from '../clients/client-records.js';
import { ClientsStore } from '../clients/clients.store.js';
import type { OAuthClient } from '../clients/oauth-client.entity.js';

export interface CreateClient {
  id?: string | undefined;
  secret?: string | undefined;
  name?: string | undefined;
  redirectUris: string[];
  postLogoutRedirectUris?: readonly string[] | undefined;
  backchannelLogoutUri?: string | undefined;
  grantTypes: string[];
  authMethod: string;
  scope?: string | undefined;
  introspects?: string | undefined;
  /** Resources it may ask tokens for. */
  resources?: readonly string[] | undefined;
}

/** Absent leaves what is there; null removes it. */
export interface EditClient {
  name?: string | null | undefined;
  redirectUris?: readonly string[] | undefined;
  postLogoutRedirectUris?: readonly string[] | null | undefined;
  backchannelLogoutUri?: string | null | undefined;
  grantTypes?: readonly string[] | undefined;
  scope?: string | null | undefined;
}

/** What operators and administrators do to OAuth clients. Each change and its audit event are one transaction. */
@Injectable()
export class Clients {
  constructor(
    private readonly config: AppConfig,
    private readonly store: ClientsStore,
    private readonly records: ClientRecords,
    private readonly current: CurrentProvider,
    private readonly audit: AuditLog,
  ) {}

  /** The client's id and secret; undefined when the id is taken. Throws when the metadata breaks a rule. */
  async create(
    given: CreateClient,
    author: ChangeAuthor = byOperator,
  ): Promise<{ clientId: string; clientSecret: string | undefined } | undefined> {
    const clientId = given.id ?? randomBytes(16).toString('base64url');
    if (clientId === accountClientId) throw invalid(`${clientId} is the client of the account pages`);
    const needsSecret = given.authMethod.startsWith('client_secret');
    const clientSecret = needsSecret ? (given.secret ?? randomBytes(32).toString('base64url')) : undefined;
    const metadata = {
      client_id: clientId,
      ...(clientSecret === undefined ? {} : { client_secret: clientSecret, client_secret_expires_at: 0 }),
      client_id_issued_at: Math.floor(Date.now() / 1000),
      ...(given.name === undefined ? {} : { client_name: given.name }),
      redirect_uris: given.redirectUris,
      ...(given.postLogoutRedirectUris ? { post_logout_redirect_uris: given.postLogoutRedirectUris } : {}),
      // Its logout tokens name the session, as its ID tokens do.
      ...(given.backchannelLogoutUri === undefined
        ? {}
        : { backchannel_logout_uri: given.backchannelLogoutUri, backchannel_logout_session_required: true }),
      grant_types: given.grantTypes,
      response_types: given.grantTypes.includes('authorization_code') ? ['code'] : [],
      token_endpoint_auth_method: given.authMethod,
      ...(given.scope === undefined ? {} : { scope: given.scope }),
      ...(given.introspects === undefined ? {} : { [introspectsAudience]: given.introspects }),
    };
    const resources = [...new Set((given.resources ?? []).map((resource) => this.assertResource(resource)))];
    this.assertMetadata(metadata);
    const record = this.records.toRecord(clientId, metadata);
    const details = { redirect_uris: given.redirectUris, ...(resources.length > 0 ? { resources } : {}) };
    const isCreated = await this.audit.recordChange(async (tx) =>
      (await this.store.insert(tx, clientId, record, resources))
        ? audited('client.created', clientId, author, details)
        : undefined,
    );
    return isCreated ? { clientId, clientSecret } : undefined;
  }

  async list(): Promise<OAuthClient[]> {
    return this.store.list();
  }

  /** Newest first. */
  async page({ limit, cursor }: { limit: number; cursor?: string | undefined }): Promise<{
    page: OAuthClient[];
    next_cursor: string | null;
  }> {
    const after = positionAfter(cursor, 'clients', timeAndText);
    const rows = await this.store.listNewest({ after, limit: limit + 1 });
    return pageOf(rows, limit, ({ micros, clientId }) => toCursor([micros, clientId], 'clients'));
  }

  async get(clientId: string): Promise<OAuthClient> {
    const client = await this.find(clientId);
    if (!client) throw notFound(clientId);
    return client;
  }

  /** Changes metadata; the id, the secret and the kind of authentication stay. Throws when the result breaks a rule. */
  async edit(clientId: string, given: EditClient, author: ChangeAuthor): Promise<void> {
    const { grantTypes, backchannelLogoutUri } = given;
    const changes: Record<string, unknown> = {
      client_name: given.name,
      redirect_uris: given.redirectUris,
      post_logout_redirect_uris: given.postLogoutRedirectUris,
      backchannel_logout_uri: backchannelLogoutUri,
      backchannel_logout_session_required: backchannelLogoutUri === null ? null : backchannelLogoutUri && true,
      grant_types: grantTypes,
      response_types: grantTypes && (grantTypes.includes('authorization_code') ? ['code'] : []),
      scope: given.scope,
    };
    await this.change(clientId, author, 'client.edited', (metadata) => {
      const changed: Record<string, unknown> = {};
      for (const [name, value] of Object.entries(changes)) {
        if (value === undefined || JSON.stringify(metadata[name] ?? null) === JSON.stringify(value)) continue;
        changed[name] = value;
        if (value === null) delete metadata[name];
        else metadata[name] = value;
      }
      return Object.keys(changed).length === 0 ? undefined : { changed };
    });
  }

  /** A new secret; the old one is refused from now on, tokens stay valid. Throws for a client that has none. */
  async rotateSecret(clientId: string, author: ChangeAuthor): Promise<string> {
    const secret = randomBytes(32).toString('base64url');
    await this.change(clientId, author, 'client.secret_rotated', (metadata) => {
      if (typeof metadata['client_secret'] !== 'string') {
        throw new ServiceError({ code: 'request.conflict', status: 409, message: 'This client has no secret' });
      }
      Object.assign(metadata, { client_secret: secret, client_secret_expires_at: 0 });
      return {};
    });
    return secret;
  }

  /** @param make changes the metadata and returns the details of the event; undefined when it changed nothing */
  private async change(
    clientId: string,
    author: ChangeAuthor,
    event: string,
    make: (metadata: Record<string, unknown>) => Record<string, unknown> | undefined,
  ): Promise<void> {
    await this.audit.recordChange(async (tx) => {
      const client = await this.store.lock(tx, clientId);
      if (!client) throw notFound(clientId);
      // Clients are stored as JSON objects.
      const metadata = { ...(JSON.parse(client.metadata) as object), client_id: clientId } as Record<string, unknown>;
      const details = make(metadata);
      if (!details) return undefined;
      this.assertMetadata(metadata);
      await this.store.setRecord(tx, clientId, this.records.toRecord(clientId, metadata));
      return audited(event, clientId, author, details);
    });
  }

  /** Throws when the metadata of a client breaks a rule. */
  private assertMetadata(metadata: Record<string, unknown>): void {
    // The constructor alone checks metadata without storing it, as for a registration; its types lack the argument.
    const Client = this.current.provider.Client as unknown as new (metadata: object) => object;
    try {
      new Client(metadata);
      assertLogoutUri(metadata, this.config);
    } catch (error) {
      if (error instanceof errors.OIDCProviderError) throw invalid(error.error_description ?? error.message);
      throw error;
    }
  }

  async find(clientId: string): Promise<OAuthClient | undefined> {
    return this.store.find(clientId);
  }

  /** Lets the client ask for tokens of the resource. False when there is no such client. */
  async allowResource(clientId: string, resource: string, author: ChangeAuthor = byOperator): Promise<boolean> {
    const allowed = this.assertResource(resource);
    return this.audit.recordChange(async (tx) =>
      (await this.store.allowResource(tx, clientId, allowed))
        ? audited('client.resource_allowed', clientId, author, { resource: allowed })
        : undefined,
    );
  }

  /**
   * The client gets no more tokens of the resource, by code or refresh; existing ones are valid until they expire.
   * False when there is no such client.
   */
  async disallowResource(clientId: string, resource: string, author: ChangeAuthor = byOperator): Promise<boolean> {
    // A resource that is no longer configured can be withdrawn, too.
    const spelled = findAudience(resource, this.config) ?? resource;
    return this.audit.recordChange(async (tx) =>
      (await this.store.disallowResource(tx, clientId, spelled))
        ? audited('client.resource_disallowed', clientId, author, { resource: spelled })
        : undefined,
    );
  }

  private assertResource(resource: string): string {
    const found = findAudience(resource, this.config);
    if (found === this.config.OAUTH_ISSUER) throw invalid('every client may ask for tokens of the issuer itself');
    if (found !== undefined) return found;
    throw invalid(`"${resource}" is not in OAUTH_RESOURCES: ${this.config.OAUTH_RESOURCES.join(', ')}`);
  }

  /** Also ends every grant and token of the client. False when there is no such client. */
  async delete(clientId: string, author: ChangeAuthor = byOperator): Promise<boolean> {
    return this.audit.recordChange(async (tx) =>
      (await this.store.remove(tx, clientId)) ? audited('client.deleted', clientId, author, {}) : undefined,
    );
  }
}

function audited(
  event: string,
  clientId: string,
  { by, ip }: ChangeAuthor,
  details: Record<string, unknown>,
): ChangeRecord {
  return { event, clientId, ip: ip ?? undefined, details: { by, ...details } };
}

const invalid = (message: string): ServiceError =>
  new ServiceError({ code: 'request.invalid', status: 400, message: [message] });

const notFound = (clientId: string): ServiceError =>
  new ServiceError({ code: 'request.not_found', status: 404, message: `There is no client ${clientId}` });
