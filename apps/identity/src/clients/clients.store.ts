import { Injectable } from '@nestjs/common';
import { BatchedLookup } from '../batched-lookup.js';
import { PreparedStatements, type Statement } from '../prepared-statements.js';
import { ClientRecords, type ClientRecord } from './client-records.js';

/** What a client is allowed by others, and cannot change by itself. */
export interface ClientRights {
  origin: 'operator' | 'registration';
  /** Resources that an operator allowed it to ask tokens for. */
  resources: string[];
}

export interface StoredClient extends ClientRights {
  clientId: string;
  metadata: Record<string, unknown>;
  createdAt: Date;
  usedAt: Date | null;
}

interface ClientRow extends Record<string, unknown> {
  client_id: string;
  metadata: string;
  secret_sealed: string | null;
  origin: ClientRights['origin'];
  resources: string[];
  created_at: Date;
  used_at: Date | null;
}

const find: Statement = {
  name: 'client_find',
  text: 'select client_id, metadata, secret_sealed, origin, resources, created_at, used_at from oauth_client where client_id = $1',
};
const findMetadata: Statement = {
  name: 'client_find_metadata',
  text: 'select client_id, metadata, secret_sealed, origin, resources from oauth_client where client_id = any($1::text[])',
};
const upsert: Statement = {
  name: 'client_upsert',
  text: `insert into oauth_client (client_id, metadata, secret_sealed, origin) values ($1, $2, $3, $4)
         on conflict (client_id) do update set metadata = excluded.metadata, secret_sealed = excluded.secret_sealed`,
};
const insert: Statement = {
  name: 'client_insert',
  text: `insert into oauth_client (client_id, metadata, secret_sealed, origin, resources) values ($1, $2, $3, 'operator', $4)
         on conflict (client_id) do nothing`,
};
const allowResource: Statement = {
  name: 'client_allow_resource',
  text: `update oauth_client set resources = array_append(array_remove(resources, $2::text), $2::text) where client_id = $1`,
};
const disallowResource: Statement = {
  name: 'client_disallow_resource',
  text: 'update oauth_client set resources = array_remove(resources, $2::text) where client_id = $1',
};
const list: Statement = {
  name: 'client_list',
  text: `select client_id, metadata, null as secret_sealed, origin, resources, created_at, used_at
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

  /** The client's metadata as JSON text, secret included, and what it is allowed. */
  async findMetadata(clientId: string): Promise<{ metadata: string; rights: ClientRights } | undefined> {
    const row = await this.metadata.find(clientId);
    return (
      row && {
        metadata: this.records.toMetadata(clientId, row.metadata, row.secret_sealed),
        rights: { origin: row.origin, resources: row.resources },
      }
    );
  }

  async find(clientId: string): Promise<StoredClient | undefined> {
    const { rows } = await this.statements.run<ClientRow>(find, [clientId]);
    return rows[0] && toClient(rows[0]);
  }

  async upsert(clientId: string, record: ClientRecord, origin: ClientRights['origin']): Promise<void> {
    await this.statements.run(upsert, [clientId, record.metadata, record.secretSealed, origin]);
  }

  /** False when a client of that id exists already. */
  async insert(clientId: string, record: ClientRecord, resources: readonly string[]): Promise<boolean> {
    const values = [clientId, record.metadata, record.secretSealed, resources];
    return (await this.statements.run(insert, values)).rowCount === 1;
  }

  /** False when there is no such client. */
  async allowResource(clientId: string, resource: string): Promise<boolean> {
    return (await this.statements.run(allowResource, [clientId, resource])).rowCount === 1;
  }

  /** False when there is no such client. */
  async disallowResource(clientId: string, resource: string): Promise<boolean> {
    return (await this.statements.run(disallowResource, [clientId, resource])).rowCount === 1;
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
    resources: row.resources,
    createdAt: row.created_at,
    usedAt: row.used_at,
  };
}
