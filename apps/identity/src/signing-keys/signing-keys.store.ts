import { Injectable } from '@nestjs/common';
import type { JWK } from 'jose';
import { DataSource, type EntityManager } from 'typeorm';
import { SealedText } from '../sealed-text.js';
import type { PrivateSigningKey, SigningKey, SigningKeyState } from './signing-keys.types.js';

interface KeyRow {
  kid: string;
  state: SigningKeyState;
  public_jwk: string;
  private_sealed: string;
  created_at: Date;
  activated_at: Date | null;
  expires_at: Date | null;
}

const context = (kid: string): string => `signing key ${kid}`;

/** Table signing_key. Changes happen in a transaction that holds `lock`. */
@Injectable()
export class SigningKeysStore {
  constructor(
    private readonly dataSource: DataSource,
    private readonly sealedText: SealedText,
  ) {}

  /** One replica at a time changes the key set; the others wait here. Held until the transaction ends. */
  async lock(tx: EntityManager): Promise<void> {
    await tx.query(`select pg_advisory_xact_lock(hashtext('tradewind identity signing keys'))`);
  }

  /** All keys that are still published, in the order current, next, previous (latest first). */
  async list(tx: EntityManager | DataSource = this.dataSource): Promise<PrivateSigningKey[]> {
    const rows: KeyRow[] = await tx.query(
      `select kid, state, public_jwk, private_sealed, created_at, activated_at, expires_at from signing_key
        where expires_at is null or expires_at > now()
        order by array_position(array['current', 'next', 'previous'], state), created_at desc, kid`,
    );
    return rows.map((row) => ({ ...toKey(row), privateJwk: this.privateJwk(row) }));
  }

  async insert(
    tx: EntityManager,
    key: { kid: string; state: SigningKeyState; publicJwk: JWK; privateJwk: JWK },
  ): Promise<void> {
    await tx.query(
      `insert into signing_key (kid, state, public_jwk, private_sealed, activated_at)
       values ($1, $2, $3, $4, case when $2 = 'current' then now() end)`,
      [
        key.kid,
        key.state,
        JSON.stringify(key.publicJwk),
        this.sealedText.seal(JSON.stringify(key.privateJwk), context(key.kid)),
      ],
    );
  }

  /** The current key retires and stays published for `lingerSeconds`; the next one becomes current. */
  async promoteNext(tx: EntityManager, lingerSeconds: number): Promise<void> {
    await tx.query(
      `update signing_key set state = 'previous', expires_at = now() + make_interval(secs => $1) where state = 'current'`,
      [lingerSeconds],
    );
    await tx.query(`update signing_key set state = 'current', activated_at = now() where state = 'next'`);
  }

  async deleteExpired(tx: EntityManager | DataSource = this.dataSource): Promise<void> {
    await tx.query('delete from signing_key where expires_at <= now()');
  }

  private privateJwk(row: KeyRow): JWK {
    return JSON.parse(this.sealedText.open(row.private_sealed, context(row.kid))) as JWK;
  }
}

function toKey(row: KeyRow): SigningKey {
  return {
    kid: row.kid,
    state: row.state,
    publicJwk: JSON.parse(row.public_jwk) as JWK,
    createdAt: row.created_at,
    activatedAt: row.activated_at,
    expiresAt: row.expires_at,
  };
}
