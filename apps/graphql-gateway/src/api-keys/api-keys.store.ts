// All SQL on the table of API keys.
import { Injectable } from '@nestjs/common';
import type { CredentialChangesPage } from '@tradewind/shared-types';
import { DataSource, type EntityManager } from 'typeorm';
import type { ApiKey } from './api-keys.types.js';

interface Row {
  id: string;
  user_id: string;
  user_email: string;
  name: string;
  prefix: string;
  key_hash: Buffer;
  credentials_version: number;
  created_at: Date;
  expires_at: Date;
  revoked_at: Date | null;
}

@Injectable()
export class ApiKeysStore {
  constructor(private readonly dataSource: DataSource) {}

  /** Undefined when the credentials that would make the key have ended, as far as identity has told. */
  async insert(tx: EntityManager, key: Omit<ApiKey, 'id' | 'revokedAt'>): Promise<ApiKey | undefined> {
    const rows: Row[] = await tx.query(
      `insert into api_key (user_id, user_email, name, prefix, key_hash, created_at, expires_at, credentials_version)
       select $1, $2, $3, $4, $5, $6, $7, $8
        where not exists (select from ended_credentials where user_id = $1 and credentials_version > $8)
       returning *`,
      [key.userId, key.userEmail, key.name, key.prefix, key.hash, key.createdAt, key.expiresAt, key.credentialsVersion],
    );
    return rows[0] && toApiKey(rows[0]);
  }

  async findByHash(hash: Buffer): Promise<ApiKey | undefined> {
    const rows: Row[] = await this.dataSource.query('select * from api_key where key_hash = $1', [hash]);
    return rows[0] && toApiKey(rows[0]);
  }

  /** Those of the keys that exist, in any order. */
  async findByHashes(hashes: readonly Buffer[]): Promise<ApiKey[]> {
    const rows: Row[] = await this.dataSource.query('select * from api_key where key_hash = any ($1)', [hashes]);
    return rows.map(toApiKey);
  }

  /** Keys by id, by displayed prefix, or of a user by email or id; newest first. */
  async list(filter: { idOrPrefix?: string; user?: string } = {}): Promise<ApiKey[]> {
    const rows: Row[] = await this.dataSource.query(
      `select * from api_key
        where ($1::text is null or id::text = lower($1) or prefix = $1)
          and ($2::text is null or lower(user_email) = lower($2) or user_id::text = lower($2))
        order by created_at desc, id`,
      [filter.idOrPrefix ?? null, filter.user ?? null],
    );
    return rows.map(toApiKey);
  }

  /** Marks the keys as revoked that were made with credentials which have ended since. */
  async revokeOfEndedCredentials(
    tx: EntityManager,
    changes: CredentialChangesPage['changes'],
    at: Date,
  ): Promise<ApiKey[]> {
    const [rows] = await tx.query<[Row[], number]>(
      `update api_key k set revoked_at = $3
         from unnest($1::uuid[], $2::int[]) as c(user_id, credentials_version)
        where k.user_id = c.user_id and k.credentials_version < c.credentials_version and k.revoked_at is null
       returning k.*`,
      [changes.map((change) => change.user_id), changes.map((change) => change.credentials_version), at],
    );
    return rows.map(toApiKey);
  }

  /** Marks a key as revoked; false when it already was. */
  async revoke(id: string, at: Date): Promise<boolean> {
    const [, changed] = await this.dataSource.query<[unknown, number]>(
      'update api_key set revoked_at = $2 where id = $1 and revoked_at is null',
      [id, at],
    );
    return changed === 1;
  }
}

function toApiKey(row: Row): ApiKey {
  return {
    id: row.id,
    userId: row.user_id,
    userEmail: row.user_email,
    name: row.name,
    prefix: row.prefix,
    hash: row.key_hash,
    credentialsVersion: row.credentials_version,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    revokedAt: row.revoked_at,
  };
}
