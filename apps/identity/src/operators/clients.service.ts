import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { OperatorError } from '@tradewind/service-kit';
import { errors } from 'oidc-provider';
import { AppConfig } from '../app.config.js';
import { AuditLog } from '../audit/audit-log.js';
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

/** What operators do to OAuth clients. */
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
  async create(given: CreateClient): Promise<{ clientId: string; clientSecret: string | undefined } | undefined> {
    const clientId = given.id ?? randomBytes(16).toString('base64url');
    if (clientId === accountClientId) throw new OperatorError(`${clientId} is the client of the account pages`);
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
    // The constructor alone checks metadata without storing it, as for a registration; its types lack the argument.
    const Client = this.current.provider.Client as unknown as new (metadata: object) => object;
    try {
      new Client(metadata);
      assertLogoutUri(metadata, this.config);
    } catch (error) {
      if (error instanceof errors.OIDCProviderError) throw new OperatorError(error.error_description ?? error.message);
      throw error;
    }
    const record = this.records.toRecord(clientId, metadata);
    const details = { redirect_uris: given.redirectUris, ...(resources.length > 0 ? { resources } : {}) };
    const isCreated = await this.audit.recordChange(async (tx) =>
      (await this.store.insert(tx, clientId, record, resources))
        ? { event: 'client.created', clientId, details }
        : undefined,
    );
    return isCreated ? { clientId, clientSecret } : undefined;
  }

  async list(): Promise<OAuthClient[]> {
    return this.store.list();
  }

  async find(clientId: string): Promise<OAuthClient | undefined> {
    return this.store.find(clientId);
  }

  /** Lets the client ask for tokens of the resource. False when there is no such client. */
  async allowResource(clientId: string, resource: string): Promise<boolean> {
    const allowed = this.assertResource(resource);
    return this.audit.recordChange(async (tx) =>
      (await this.store.allowResource(tx, clientId, allowed))
        ? { event: 'client.resource_allowed', clientId, details: { resource: allowed } }
        : undefined,
    );
  }

  /**
   * The client gets no more tokens of the resource, by code or refresh; existing ones are valid until they expire.
   * False when there is no such client.
   */
  async disallowResource(clientId: string, resource: string): Promise<boolean> {
    // A resource that is no longer configured can be withdrawn, too.
    const spelled = findAudience(resource, this.config) ?? resource;
    return this.audit.recordChange(async (tx) =>
      (await this.store.disallowResource(tx, clientId, spelled))
        ? { event: 'client.resource_disallowed', clientId, details: { resource: spelled } }
        : undefined,
    );
  }

  private assertResource(resource: string): string {
    const found = findAudience(resource, this.config);
    if (found === this.config.OAUTH_ISSUER)
      throw new OperatorError('every client may ask for tokens of the issuer itself');
    if (found !== undefined) return found;
    throw new OperatorError(`"${resource}" is not in OAUTH_RESOURCES: ${this.config.OAUTH_RESOURCES.join(', ')}`);
  }

  /** Also ends every grant and token of the client. False when there is no such client. */
  async delete(clientId: string): Promise<boolean> {
    return this.audit.recordChange(async (tx) =>
      (await this.store.remove(tx, clientId))
        ? { event: 'client.deleted', clientId, details: { actor: 'operator' } }
        : undefined,
    );
  }
}
