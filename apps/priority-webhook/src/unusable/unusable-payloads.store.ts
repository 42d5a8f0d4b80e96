import { Injectable } from '@nestjs/common';
import { Db, type Tx } from '@tradewind/service-kit';
import { IsNull } from 'typeorm';
import { UnusablePayload } from './unusable-payload.entity.js';

export interface UnusableList {
  after?: { time: Date; fingerprint: string } | undefined;
  limit: number;
  withDropped?: boolean;
}

/** The table unusable_payload: webhooks in which no profile could be found, kept for a person to look at. */
@Injectable()
export class UnusablePayloadsStore {
  constructor(private readonly db: Db) {}

  /** A body that was received before is counted, and adds no row. */
  async keep(payload: {
    fingerprint: string;
    reason: string;
    body: string;
    correlationId: string | undefined;
    receivedAt: Date;
  }): Promise<void> {
    await this.db.affected(
      `insert into unusable_payload(fingerprint, reason, body, correlation_id, first_received_at, last_received_at)
       values ($1, $2, $3, $4, $5, $5)
       on conflict (fingerprint) do update
         set times = unusable_payload.times + 1, last_received_at = excluded.last_received_at, dropped_at = null,
             dropped_by = null, drop_reason = null`,
      [payload.fingerprint, payload.reason, payload.body, payload.correlationId ?? null, payload.receivedAt],
    );
  }

  /** Latest first, without those that were dropped unless asked for. */
  async list({ after, limit, withDropped = false }: UnusableList): Promise<UnusablePayload[]> {
    const found = this.db
      .repository(UnusablePayload)
      .createQueryBuilder('payload')
      .orderBy({ 'payload.last_received_at': 'DESC', 'payload.fingerprint': 'DESC' })
      .take(limit);
    if (!withDropped) found.andWhere('payload.dropped_at is null');
    if (after) {
      // A position has milliseconds, and rows have microseconds.
      found.andWhere(
        `(date_trunc('milliseconds', payload.last_received_at), payload.fingerprint) < (:time, :fingerprint)`,
        after,
      );
    }
    return found.getMany();
  }

  async find(fingerprint: string): Promise<UnusablePayload | undefined> {
    return (await this.db.repository(UnusablePayload).findOneBy({ fingerprint })) ?? undefined;
  }

  /** False when it was dropped before, or there is none. */
  async drop(fingerprint: string, { reason, by }: { reason: string; by: string | null }): Promise<boolean> {
    const dropped = await this.db
      .repository(UnusablePayload)
      .update(
        { fingerprint, dropped_at: IsNull() },
        { dropped_at: () => 'now()', dropped_by: by, drop_reason: reason },
      );
    return dropped.affected === 1;
  }

  /** Removes payloads that have not been received again since. */
  async removeLastReceivedBefore(tx: Tx, before: Date, limit: number): Promise<number> {
    return tx.affected(
      `delete from unusable_payload where fingerprint in (
         select fingerprint from unusable_payload where last_received_at < $1 order by last_received_at limit $2)`,
      [before, limit],
    );
  }
}
