import { Injectable } from '@nestjs/common';
import { Db, type Tx } from '@tradewind/service-kit';
import { UnusablePayload } from './unusable-payload.entity.js';

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
       on conflict (fingerprint) do update set times = unusable_payload.times + 1, last_received_at = excluded.last_received_at`,
      [payload.fingerprint, payload.reason, payload.body, payload.correlationId ?? null, payload.receivedAt],
    );
  }

  /** Latest first. */
  list(limit: number): Promise<UnusablePayload[]> {
    return this.db.repository(UnusablePayload).find({ order: { last_received_at: 'desc' }, take: limit });
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
