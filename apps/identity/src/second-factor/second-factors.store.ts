// The tables of second factors. Every change runs with the row of the user locked.
import { Injectable } from '@nestjs/common';
import { Db, type NamedStatement, type Tx } from '@tradewind/service-kit';
import type { NewPasskey } from './passkeys.js';

export interface StoredPasskey extends NewPasskey {
  name: string;
  createdAt: Date;
  usedAt: Date | null;
}

export interface StoredFactors {
  totpSealed: string | null;
  totpSince: Date | null;
  passkeys: StoredPasskey[];
  recoveryCodes: number;
}

interface Row extends Omit<StoredFactors, 'passkeys'> {
  passkeys: (Omit<StoredPasskey, 'createdAt' | 'usedAt'> & { createdAt: string; usedAt: string | null })[];
}

const find: NamedStatement = {
  name: 'second_factor_find',
  text: `
  select t.secret_sealed as "totpSealed", t.created_at as "totpSince",
         (select count(*)::int from recovery_code where user_id = $1) as "recoveryCodes",
         (select coalesce(json_agg(json_build_object(
                   'id', p.id, 'publicKey', p.public_key, 'signCount', p.sign_count, 'transports', p.transports,
                   'isSynced', p.is_synced, 'name', p.name, 'createdAt', p.created_at, 'usedAt', p.used_at)
                   order by p.created_at, p.id), '[]')
            from passkey p where p.user_id = $1) as passkeys
    from (select) one left join totp_secret t on t.user_id = $1`,
};
const insertTotp: NamedStatement = {
  name: 'totp_insert',
  text: 'insert into totp_secret (user_id, secret_sealed, last_step) values ($1, $2, $3) on conflict do nothing',
};
// The condition lets a code be taken once, on whatever replica.
const takeStep: NamedStatement = {
  name: 'totp_take_step',
  text: 'update totp_secret set last_step = $2 where user_id = $1 and last_step < $2',
};
const insertPasskey: NamedStatement = {
  name: 'passkey_insert',
  text: `insert into passkey (id, user_id, public_key, sign_count, transports, is_synced, name)
         values ($1, $2, $3, $4, $5::text[], $6, $7) on conflict do nothing`,
};
// A count that does not grow is that of a copy; many passkeys do not count and always say 0.
const usePasskey: NamedStatement = {
  name: 'passkey_use',
  text: `update passkey set sign_count = $3, used_at = now()
          where user_id = $1 and id = $2 and (sign_count < $3 or (sign_count = 0 and $3 = 0))`,
};
const takeRecoveryCode: NamedStatement = {
  name: 'recovery_code_take',
  text: 'delete from recovery_code where user_id = $1 and code_hash = $2',
};
const insertRecoveryCodes: NamedStatement = {
  name: 'recovery_code_insert',
  text: 'insert into recovery_code (user_id, code_hash) select $1, unnest($2::text[])',
};

@Injectable()
export class SecondFactorsStore {
  constructor(private readonly db: Db) {}

  /** @param tx reads what the transaction has written so far */
  async find(userId: string, tx?: Tx): Promise<StoredFactors> {
    const [row] = await (tx ?? this.db).rows<Row>(find, [userId]);
    return {
      ...row!,
      passkeys: row!.passkeys.map((one) => ({
        ...one,
        createdAt: new Date(one.createdAt),
        usedAt: one.usedAt === null ? null : new Date(one.usedAt),
      })),
    };
  }

  /** False when a code of this step or a later one was taken before. */
  async takeStep(userId: string, step: number): Promise<boolean> {
    return (await this.db.affected(takeStep, [userId, step])) === 1;
  }

  /** False when it is gone, or its count has not grown. */
  async usePasskey(userId: string, id: string, signCount: number): Promise<boolean> {
    return (await this.db.affected(usePasskey, [userId, id, signCount])) === 1;
  }

  async takeRecoveryCode(tx: Tx, userId: string, hash: string): Promise<boolean> {
    return (await tx.affected(takeRecoveryCode, [userId, hash])) === 1;
  }

  /** False when the user has one. */
  async addTotp(tx: Tx, userId: string, sealed: string, step: number): Promise<boolean> {
    return (await tx.affected(insertTotp, [userId, sealed, step])) === 1;
  }

  /** False when somebody has this passkey. */
  async addPasskey(tx: Tx, userId: string, passkey: NewPasskey & { name: string }): Promise<boolean> {
    const { id, publicKey, signCount, transports, isSynced, name } = passkey;
    const values = [id, userId, publicKey, signCount, transports, isSynced, name];
    return (await tx.affected(insertPasskey, values)) === 1;
  }

  async removeTotp(tx: Tx, userId: string): Promise<boolean> {
    return (await tx.affected('delete from totp_secret where user_id = $1', [userId])) > 0;
  }

  async removePasskey(tx: Tx, userId: string, id: string): Promise<boolean> {
    return (await tx.affected('delete from passkey where user_id = $1 and id = $2', [userId, id])) > 0;
  }

  async setRecoveryCodes(tx: Tx, userId: string, hashes: readonly string[]): Promise<void> {
    await tx.affected('delete from recovery_code where user_id = $1', [userId]);
    if (hashes.length > 0) await tx.affected(insertRecoveryCodes, [userId, hashes]);
  }

  async removeAll(tx: Tx, userId: string): Promise<void> {
    await this.removeTotp(tx, userId);
    await tx.affected('delete from passkey where user_id = $1', [userId]);
    await this.setRecoveryCodes(tx, userId, []);
  }
}
