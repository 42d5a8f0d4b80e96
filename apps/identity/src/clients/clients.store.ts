import { Injectable } from '@nestjs/common';
import { Db, type NamedStatement, type Tx } from '@tradewind/service-kit';
import type { Repository } from 'typeorm';
import { batchedReads } from '../batched-reads.js';
import {
  clientColumn,
  ClientRecords,
  type ClientRecord,
  type KnownClient,
  type StoredClient,
} from './client-records.js';
import { OAuthClient } from './oauth-client.entity.js';

const findKnown: NamedStatement = {
  name: 'client_find',
  text: `select ${clientColumn('c')} as client from oauth_client c where c.client_id = any($1::text[])`,
};
// Tokens, grants and pending requests end in the same statement: the provider fails on a token of a deleted client.
const remove: NamedStatement = {
  name: 'client_remove',
  text: `with payloads as (delete from oidc_payload where client_id = $1)
         delete from oauth_client where client_id = $1`,
};
const removeUnused: NamedStatement = {
  name: 'client_remove_unused',
  text: `with gone as (
           delete from oauth_client
            where used_at is null and origin = 'registration' and created_at < now() - make_interval(days => $1::int)
           returning client_id
         ), payloads as (delete from oidc_payload where client_id in (select client_id from gone))
         select client_id from gone`,
};

@Injectable()
export class ClientsStore {
  private readonly clients: Repository<OAuthClient>;
  private readonly stored = batchedReads<StoredClient>(async (clientIds) => {
    const rows = await this.db.rows<{ client: StoredClient }>(findKnown, [clientIds]);
    return new Map(rows.map(({ client }) => [client.clientId, client]));
  });

  constructor(
    private readonly db: Db,
    private readonly records: ClientRecords,
  ) {
    this.clients = db.repository(OAuthClient);
  }

  async findKnown(clientId: string): Promise<KnownClient | undefined> {
    const client = await this.stored.load(clientId);
    return client && this.records.open(client);
  }

  async find(clientId: string): Promise<OAuthClient | undefined> {
    return (await this.clients.findOneBy({ clientId })) ?? undefined;
  }

  async list(): Promise<OAuthClient[]> {
    return this.clients.find({ order: { createdAt: 'ASC', clientId: 'ASC' } });
  }

  /** Adds an operator's client. False when a client of that id exists already. */
  async insert(tx: Tx, clientId: string, record: ClientRecord, resources: string[]): Promise<boolean> {
    // TypeORM's types for partial entities refuse a record of unknown values.
    const metadata: object = record.metadata;
    const client = { clientId, ...record, metadata, origin: 'operator' as const, resources };
    const inserted = await tx.repository(OAuthClient).createQueryBuilder().insert().values(client).orIgnore().execute();
    return (inserted.raw as unknown[]).length === 1;
  }

  /** False when there is no such client. */
  async allowResource(tx: Tx, clientId: string, resource: string): Promise<boolean> {
    return setResources(tx, clientId, resource, 'array_append(array_remove(resources, :resource), :resource)');
  }

  /** False when there is no such client. */
  async disallowResource(tx: Tx, clientId: string, resource: string): Promise<boolean> {
    return setResources(tx, clientId, resource, 'array_remove(resources, :resource)');
  }

  /** Removes the client with its grants, tokens and pending requests. False when there is no such client. */
  async remove(tx: Tx, clientId: string): Promise<boolean> {
    return (await tx.affected(remove, [clientId])) === 1;
  }

  async removeUnused(days: number): Promise<number> {
    return (await this.db.rows(removeUnused, [days])).length;
  }
}

async function setResources(tx: Tx, clientId: string, resource: string, expression: string): Promise<boolean> {
  const update = tx
    .repository(OAuthClient)
    .createQueryBuilder()
    .update()
    .set({ resources: () => expression });
  return (await update.where({ clientId }).setParameters({ resource }).execute()).affected === 1;
}
