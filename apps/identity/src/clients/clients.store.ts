import { Injectable } from '@nestjs/common';
import { BatchedLookup } from '../storage/batched-lookup.js';
import { PreparedStatements, type Statement } from '../storage/prepared-statements.js';
import { ClientRecords, type ClientRecord } from './client-records.js';

export type ClientOrigin = 'operator' | 'registration';

export interface StoredClient {
  clientId: string;
  metadata: Record<string, unknown>;
  origin: ClientOrigin;
  createdAt: Date;
  usedAt: Date | null;
}

interface ClientRow extends Record<string, unknown> {
  client_id: string;
  metadata: string;
  secret_sealed: string | null;
  origin: ClientOrigin;
  created_at: Date;
  used_at: Date | null;
}

const find: Statement = {
  name: 'client_find',
  text: 'select client_id, metadata, secret_sealed, origin, created_at, used_at from oauth_client where client_id = $1',
};
const findMetadata: Statement = {
  name: 'client_find_metadata',
  text: 'select client_id, metadata, secret_sealed from oauth_client where client_id = any($1::text[])',
};
const upsert: Statement = {
  name: 'client_upsert',
  text: `insert into oauth_client (client_id, metadata, secret_sealed, origin) values ($1, $2, $3, $4)
         on conflict (client_id) do update set metadata = excluded.metadata, secret_sealed = excluded.secret_sealed`,
};
const insert: Statement = {
  name: 'client_insert',
  text: `insert into oauth_client (client_id, metadata, secret_sealed, origin) values ($1, $2, $3, 'operator')
         on conflict (client_id) do nothing`,
};
const list: Statement = {
  name: 'client_list',
  text: `select client_id, metadata, null as secret_sealed, origin, created_at, used_at
           from oauth_client order by created_at, client_id`,
};
// The tokens, grants and pending requests go in the same statement: introspecting a token of a client that is no more
// would be an error of the provider.
const remove: Statement = {
  name: 'client_remove',
  text: `with payloads as (delete from oidc_payload where client_id = $1)
         delete from oauth_client where client_id = $1`,
};
const removeUnused: Statement = {
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
  private readonly metadata: BatchedLookup<ClientRow>;

  constructor(
    private readonly statements: PreparedStatements,
    private readonly records: ClientRecords,
  ) {
    this.metadata = new BatchedLookup(async (clientIds) => {
      const { rows } = await this.statements.run<ClientRow>(findMetadata, [clientIds]);
      return new Map(rows.map((row) => [row.client_id, row]));
    });
  }

  /** The client's metadata as JSON text, secret included. */
  async findMetadata(clientId: string): Promise<string | undefined> {
    const row = await this.metadata.find(clientId);
    return row && this.records.toMetadata(clientId, row.metadata, row.secret_sealed);
  }

  async find(clientId: string): Promise<StoredClient | undefined> {
    const { rows } = await this.statements.run<ClientRow>(find, [clientId]);
    return rows[0] && toClient(rows[0]);
  }

  async upsert(clientId: string, record: ClientRecord, origin: ClientOrigin): Promise<void> {
    await this.statements.run(upsert, [clientId, record.metadata, record.secretSealed, origin]);
  }

  /** False when a client of that id exists already. */
  async insert(clientId: string, record: ClientRecord): Promise<boolean> {
    return (await this.statements.run(insert, [clientId, record.metadata, record.secretSealed])).rowCount === 1;
  }

  async list(): Promise<StoredClient[]> {
    return (await this.statements.run<ClientRow>(list, [])).rows.map(toClient);
  }

  /** Removes the client with its grants, tokens and pending requests. */
  async remove(clientId: string): Promise<boolean> {
    return (await this.statements.run(remove, [clientId])).rowCount === 1;
  }

  async removeUnused(days: number): Promise<string[]> {
    return (await this.statements.run<{ client_id: string }>(removeUnused, [days])).rows.map((row) => row.client_id);
  }
}

function toClient(row: ClientRow): StoredClient {
  return {
    clientId: row.client_id,
    metadata: JSON.parse(row.metadata) as Record<string, unknown>,
    origin: row.origin,
    createdAt: row.created_at,
    usedAt: row.used_at,
  };
}
