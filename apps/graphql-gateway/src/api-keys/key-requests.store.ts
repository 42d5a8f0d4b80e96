import { Injectable } from '@nestjs/common';
import { Db, type Tx } from '@tradewind/service-kit';

interface RequestId {
  userId: string;
  requestHash: Buffer;
}

interface KeptRequest extends RequestId {
  contentHash: Buffer;
  sealedKey: Buffer;
  endsAt: Date;
}

@Injectable()
export class KeyRequestsStore {
  constructor(private readonly db: Db) {}

  /** False when the same request is kept already. An insert of it by another transaction is waited for. */
  async insert(
    tx: Tx,
    { userId, requestHash, contentHash, sealedKey, endsAt }: KeptRequest,
    now: Date,
  ): Promise<boolean> {
    const inserted = await tx.affected(
      `insert into key_request as kept (user_id, request_hash, content_hash, sealed_key, ends_at)
       values ($1, $2, $3, $4, $5)
       on conflict (user_id, request_hash) do update
         set content_hash = excluded.content_hash, sealed_key = excluded.sealed_key, ends_at = excluded.ends_at
         where kept.ends_at <= $6`,
      [userId, requestHash, contentHash, sealedKey, endsAt, now],
    );
    return inserted === 1;
  }

  /** One that `insert` has found: its row is locked until the transaction ends. */
  async get(tx: Tx, { userId, requestHash }: RequestId): Promise<Pick<KeptRequest, 'contentHash' | 'sealedKey'>> {
    const [kept] = await tx.rows<Pick<KeptRequest, 'contentHash' | 'sealedKey'>>(
      `select content_hash as "contentHash", sealed_key as "sealedKey" from key_request
        where user_id = $1 and request_hash = $2`,
      [userId, requestHash],
    );
    return kept!;
  }

  async removeEnded(now: Date): Promise<void> {
    await this.db.affected('delete from key_request where ends_at <= $1', [now]);
  }
}
