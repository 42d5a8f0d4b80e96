import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { OperatorError } from '@tradewind/service-kit';
import { errors } from 'oidc-provider';
import { AuditLog } from '../audit/audit-log.js';
import { CurrentProvider } from '../oidc/current-provider.js';
import { introspectsAudience } from '../oidc/provider-configuration.js';
import { ClientRecords } from './client-records.js';
import { ClientsStore, type StoredClient } from './clients.store.js';

export interface CreateClient {
  id?: string | undefined;
  secret?: string | undefined;
  name?: string | undefined;
  redirectUris: string[];
  grantTypes: string[];
  authMethod: string;
  scope?: string | undefined;
  introspects?: string | undefined;
}

/** What operators do to OAuth clients. */
@Injectable()
export class Clients {
  constructor(
    private readonly store: ClientsStore,
    private readonly records: ClientRecords,
    private readonly current: CurrentProvider,
    private readonly audit: AuditLog,
  ) {}

  /** The client's id and secret; undefined when the id is taken. Throws when the metadata breaks a rule. */
  async create(given: CreateClient): Promise<{ clientId: string; clientSecret: string | undefined } | undefined> {
    const clientId = given.id ?? randomBytes(16).toString('base64url');
    const needsSecret = given.authMethod.startsWith('client_secret');
    const clientSecret = needsSecret ? (given.secret ?? randomBytes(32).toString('base64url')) : undefined;
    const metadata = {
      client_id: clientId,
      ...(clientSecret === undefined ? {} : { client_secret: clientSecret, client_secret_expires_at: 0 }),
      client_id_issued_at: Math.floor(Date.now() / 1000),
      ...(given.name === undefined ? {} : { client_name: given.name }),
      redirect_uris: given.redirectUris,
      grant_types: given.grantTypes,
      response_types: given.grantTypes.includes('authorization_code') ? ['code'] : [],
      token_endpoint_auth_method: given.authMethod,
      ...(given.scope === undefined ? {} : { scope: given.scope }),
      ...(given.introspects === undefined ? {} : { [introspectsAudience]: given.introspects }),
    };
    // The provider's own constructor checks the metadata as it would a registration; it is declared without arguments.
    const Client = this.current.provider.Client as unknown as new (metadata: object) => object;
    try {
      new Client(metadata);
    } catch (error) {
      if (error instanceof errors.OIDCProviderError) throw new OperatorError(error.error_description ?? error.message);
      throw error;
    }
    if (!(await this.store.insert(clientId, this.records.toRecord(clientId, metadata)))) return undefined;
    await this.audit.record({ event: 'client.created', clientId, details: { redirect_uris: given.redirectUris } });
    return { clientId, clientSecret };
  }

  async list(): Promise<StoredClient[]> {
    return this.store.list();
  }

  async find(clientId: string): Promise<StoredClient | undefined> {
    return this.store.find(clientId);
  }

  /** Ends every grant and token of the client, too. False when there is no such client. */
  async delete(clientId: string): Promise<boolean> {
    const isDeleted = await this.store.remove(clientId);
    if (isDeleted) await this.audit.record({ event: 'client.deleted', clientId, details: { actor: 'operator' } });
    return isDeleted;
  }
}
