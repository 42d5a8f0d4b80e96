import { Injectable } from '@nestjs/common';
import { Db, microsOf, timeOf, type NamedStatement, type Tx, type ListPosition } from '@tradewind/service-kit';
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

/** A client with its position in the list. */
export type ClientOfList = OAuthClient & { micros: number };

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
// Waits for a registration that changes the client, and makes one wait.
const lock: NamedStatement = {
  name: 'client_lock',
  text: `select ${clientColumn('c')} as client from oauth_client c where c.client_id = $1 for update of c`,
};
const setRecord: NamedStatement = {
  name: 'client_set_record',
  text: 'update oauth_client set metadata = $2, secret_sealed = $3 where client_id = $1',
};
// Newest first, through oauth_client_newest.
const listNewest: NamedStatement = {
  name: 'client_list_newest',
  text: `select client_id as "clientId", metadata::json as metadata, origin, resources, created_at as "createdAt",
                used_at as "usedAt", ${microsOf('created_at')} as micros
           from oauth_client
          where (created_at, client_id) < (case when $1::float8 is null then 'infinity' else ${timeOf('$1')} end, coalesce($2::text, ''))
          order by created_at desc, client_id desc limit $3`,
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

  /** Newest first. */
  async listNewest(page: { after?: ListPosition | undefined; limit: number }): Promise<ClientOfList[]> {
    const { after, limit } = page;
    return this.db.rows<ClientOfList>(listNewest, [after?.micros ?? null, after?.id ?? null, limit]);
  }

  /** The client with its secret, which no other transaction changes until this one ends. */
  async lock(tx: Tx, clientId: string): Promise<KnownClient | undefined> {
    const [row] = await tx.rows<{ client: StoredClient }>(lock, [clientId]);
    return row && this.records.open(row.client);
  }

  async setRecord(tx: Tx, clientId: string, { metadata, secretSealed }: ClientRecord): Promise<void> {
    await tx.affected(setRecord, [clientId, JSON.stringify(metadata), secretSealed]);
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
