// The table of API keys. Raw SQL for the changes that depend on whether the user's credentials have ended.
import { Injectable } from '@nestjs/common';
import { Db, type Tx } from '@tradewind/service-kit';
import type { CredentialChangesPage } from '@tradewind/shared-types';
import { In, IsNull, type Repository } from 'typeorm';
import { ApiKey } from './api-key.entity.js';

@Injectable()
export class ApiKeysStore {
  private readonly keys: Repository<ApiKey>;

  constructor(db: Db) {
    this.keys = db.repository(ApiKey);
  }

  /** The id; undefined when the credentials that would make the key have ended, as far as identity has said. */
  async insert(tx: Tx, key: Omit<ApiKey, 'id' | 'revokedAt'>): Promise<string | undefined> {
    const [row] = await tx.rows<{ id: string }>(
      `insert into api_key (user_id, user_email, name, prefix, key_hash, created_at, expires_at, credentials_version)
       select $1, $2, $3, $4, $5, $6, $7, $8
        where not exists (select from ended_credentials where user_id = $1 and credentials_version > $8)
       returning id`,
      [key.userId, key.userEmail, key.name, key.prefix, key.hash, key.createdAt, key.expiresAt, key.credentialsVersion],
    );
    return row?.id;
  }

  async findByHash(hash: Buffer): Promise<ApiKey | undefined> {
    return (await this.keys.findOneBy({ hash })) ?? undefined;
  }

  /** Those of the keys that exist, in any order. */
  async findByHashes(hashes: readonly Buffer[]): Promise<ApiKey[]> {
    return this.keys.findBy({ hash: In(hashes) });
  }

  /** Keys by id, by displayed prefix, or of a user by email or id; newest first. */
  async list({ idOrPrefix, user }: { idOrPrefix?: string; user?: string } = {}): Promise<ApiKey[]> {
    const query = this.keys.createQueryBuilder('key').orderBy('key.createdAt', 'DESC').addOrderBy('key.id');
    if (idOrPrefix !== undefined) {
      query.andWhere('(cast(key.id as text) = lower(:idOrPrefix) or key.prefix = :idOrPrefix)', { idOrPrefix });
    }
    if (user !== undefined) {
      query.andWhere('(lower(key.userEmail) = lower(:user) or cast(key.userId as text) = lower(:user))', { user });
    }
    return query.getMany();
  }

  /** Revokes the keys that were made with credentials which have ended since, and returns them. */
  async revokeOfEndedCredentials(tx: Tx, changes: CredentialChangesPage['changes'], at: Date): Promise<ApiKey[]> {
    const revoked = await tx.rows<{ id: string }>(
      `update api_key k set revoked_at = $3
         from unnest($1::uuid[], $2::int[]) as c(user_id, credentials_version)
        where k.user_id = c.user_id and k.credentials_version < c.credentials_version and k.revoked_at is null
       returning k.id`,
      [changes.map((change) => change.user_id), changes.map((change) => change.credentials_version), at],
    );
    return tx.repository(ApiKey).findBy({ id: In(revoked.map(({ id }) => id)) });
  }

  /** Revokes a key; false when it already was. */
  async revoke(tx: Tx, id: string, at: Date): Promise<boolean> {
    const { affected } = await tx.repository(ApiKey).update({ id, revokedAt: IsNull() }, { revokedAt: at });
    return affected === 1;
  }
}
