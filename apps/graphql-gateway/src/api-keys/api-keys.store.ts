// The table of API keys. Raw SQL for the changes that depend on whether the user's credentials have ended.
import { Injectable } from '@nestjs/common';
import { Db, type Tx } from '@tradewind/service-kit';
import type { CredentialChangesPage } from '@tradewind/shared-types';
import { In, IsNull, type Repository } from 'typeorm';
import { ApiKey } from './api-key.entity.js';

/** Which keys a list has; all of these must hold. */
export interface KeyFilter {
  /** Email or id of the user. */
  user?: string | undefined;
  userId?: string | undefined;
  /** Id, or the first 8 characters. */
  idOrPrefix?: string | undefined;
  companyId?: string | undefined;
  /** Active keys that expire before this time. */
  expiresBefore?: Date | undefined;
}

export interface KeyPage {
  limit: number;
  /** The key before the page; undefined for the first page. */
  after?: Pick<ApiKey, 'createdAt' | 'id'> | undefined;
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

@Injectable()
export class ApiKeysStore {
  private readonly keys: Repository<ApiKey>;

  constructor(private readonly db: Db) {
    this.keys = db.repository(ApiKey);
  }

  /** The id; undefined when the credentials that would make the key have ended, as far as identity has said. */
  async insert(tx: Tx, key: Omit<ApiKey, 'id' | 'revokedAt' | 'lastUsedAt'>): Promise<string | undefined> {
    const [row] = await tx.rows<{ id: string }>(
      `insert into api_key
         (user_id, user_email, name, prefix, key_hash, created_at, expires_at, credentials_version, company_id)
       select $1, $2, $3, $4, $5, $6, $7, $8, $9
        where not exists (select from ended_credentials where user_id = $1 and credentials_version > $8)
       returning id`,
      [
        key.userId,
        key.userEmail,
        key.name,
        key.prefix,
        key.hash,
        key.createdAt,
        key.expiresAt,
        key.credentialsVersion,
        key.companyId,
      ],
    );
    return row?.id;
  }

  async findByHash(hash: Buffer): Promise<ApiKey | undefined> {
    return (await this.keys.findOneBy({ hash })) ?? undefined;
  }

  /** A key that exists, since keys are not deleted. */
  async getByHash(tx: Tx, hash: Buffer): Promise<ApiKey> {
    return tx.repository(ApiKey).findOneByOrFail({ hash });
  }

  /** Those of the keys that exist, in any order. */
  async findByHashes(hashes: readonly Buffer[]): Promise<ApiKey[]> {
    return this.keys.findBy({ hash: In(hashes) });
  }

  async findById(id: string): Promise<ApiKey | undefined> {
    return uuid.test(id) ? ((await this.keys.findOneBy({ id })) ?? undefined) : undefined;
  }

  /**
   * Newest first. Each filter has an index in this order (0014-key-lists), but that of the expiry
   * (0017-expiring-keys): these keys are sorted.
   */
  async list(
    { user, userId, idOrPrefix, companyId, expiresBefore }: KeyFilter,
    { limit, after }: KeyPage,
    now: Date,
  ): Promise<ApiKey[]> {
    const query = this.keys
      .createQueryBuilder('key')
      .orderBy('key.createdAt', 'DESC')
      .addOrderBy('key.id', 'DESC')
      .limit(limit);
    if (userId !== undefined) query.andWhere('key.userId = :userId', { userId });
    if (companyId !== undefined) query.andWhere('key.companyId = :companyId', { companyId });
    if (idOrPrefix !== undefined) {
      query.andWhere(uuid.test(idOrPrefix) ? 'key.id = :idOrPrefix' : 'key.prefix = :idOrPrefix', { idOrPrefix });
    }
    if (user !== undefined) {
      query.andWhere(uuid.test(user) ? 'key.userId = :user' : 'lower(key.userEmail) = lower(:user)', { user });
    }
    if (expiresBefore !== undefined) {
      query.andWhere('key.revokedAt is null and key.expiresAt > :now and key.expiresAt < :expiresBefore', {
        now,
        expiresBefore,
      });
    }
    if (after) query.andWhere('(key.createdAt, key.id) < (:createdAt, :id)', after);
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

  /** Notes when keys were used; a later use that another replica has noted stays. */
  async noteUses(uses: ReadonlyMap<string, Date>): Promise<void> {
    await this.db.affected(
      // Locked in one order, so that two replicas cannot deadlock.
      `with used as (
         select k.id, u.at from unnest($1::uuid[], $2::timestamptz[]) as u(id, at) join api_key k on k.id = u.id
          where k.last_used_at is null or k.last_used_at < u.at
          order by k.id for no key update of k)
       update api_key k set last_used_at = greatest(k.last_used_at, used.at) from used where k.id = used.id`,
      [[...uses.keys()], [...uses.values()]],
    );
  }
}
