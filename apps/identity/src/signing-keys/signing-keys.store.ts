import { Injectable } from '@nestjs/common';
import { Db, type Queries, type Tx } from '@tradewind/service-kit';
import type { JWK } from 'jose';
import { Raw } from 'typeorm';
import { SealedText } from '../sealed-text.js';
import { SigningKeyRow, type NewSigningKey, type PrivateSigningKey } from './signing-key.entity.js';

const context = (kid: string): string => `signing key ${kid}`;

/** Table signing_key. Changes happen in a transaction that holds `lock`. */
@Injectable()
export class SigningKeysStore {
  constructor(
    private readonly db: Db,
    private readonly sealedText: SealedText,
  ) {}

  /** Lets one replica at a time change the key set, until its transaction ends. */
  async lock(tx: Tx): Promise<void> {
    await tx.rows(`select pg_advisory_xact_lock(hashtext('tradewind identity signing keys'))`);
  }

  /** All keys that are still published, in the order current, next, previous (latest first). */
  async list(queries: Queries = this.db): Promise<PrivateSigningKey[]> {
    const rows = await queries.repository(SigningKeyRow).find({
      where: { expiresAt: Raw((column) => `(${column} is null or ${column} > now())`) },
      // The names of the states happen to sort in this order.
      order: { state: 'ASC', createdAt: 'DESC', kid: 'ASC' },
    });
    return rows.map(({ privateSealed, ...key }) => ({
      ...key,
      privateJwk: JSON.parse(this.sealedText.open(privateSealed, context(key.kid))) as JWK,
    }));
  }

  async insert(tx: Tx, { privateJwk, ...key }: NewSigningKey): Promise<void> {
    await tx.repository(SigningKeyRow).insert({
      ...key,
      privateSealed: this.sealedText.seal(JSON.stringify(privateJwk), context(key.kid)),
      ...(key.state === 'current' ? { activatedAt: () => 'now()' } : {}),
    });
  }

  /** The current key retires and is published for `lingerSeconds` more; the next one becomes current. */
  async promoteNext(tx: Tx, lingerSeconds: number): Promise<void> {
    const keys = tx.repository(SigningKeyRow);
    const expiresAt = () => `now() + make_interval(secs => ${lingerSeconds})`;
    await keys.update({ state: 'current' }, { state: 'previous', expiresAt });
    await keys.update({ state: 'next' }, { state: 'current', activatedAt: () => 'now()' });
  }

  async deleteExpired(): Promise<number> {
    const expired = { expiresAt: Raw((column) => `${column} <= now()`) };
    return (await this.db.repository(SigningKeyRow).delete(expired)).affected ?? 0;
  }
}
