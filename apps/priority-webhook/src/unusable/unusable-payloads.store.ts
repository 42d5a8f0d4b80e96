import { Injectable } from '@nestjs/common';
import { Db, microsOf, timeOf, type ListPosition, type Tx } from '@tradewind/service-kit';
import { IsNull } from 'typeorm';
import { UnusablePayload } from './unusable-payload.entity.js';

/** What a list shows. Bodies may have megabytes, so they are read one by one. */
export interface ListedPayload extends Omit<UnusablePayload, 'body'> {
  /** `last_received_at`, for the position of the next page. */
  micros: number;
}

export interface UnusableList {
  after?: ListPosition | undefined;
  limit: number;
  withDropped?: boolean;
}

const listedColumns = `fingerprint, reason, correlation_id, times, first_received_at, last_received_at, dropped_at,
  last_dropped_at, dropped_by, drop_reason, ${microsOf('last_received_at')} as micros`;

/** The table unusable_payload: webhooks in which no profile could be found, kept for a person to look at. */
@Injectable()
export class UnusablePayloadsStore {
  constructor(private readonly db: Db) {}

  /**
   * A body that was received before is counted, and adds no row. One that was dropped is shown again, and keeps who
   * dropped it last, when and why.
   */
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
         set times = unusable_payload.times + 1, last_received_at = excluded.last_received_at, dropped_at = null`,
      [payload.fingerprint, payload.reason, payload.body, payload.correlationId ?? null, payload.receivedAt],
    );
  }

  /**
   * Latest first, without those that were dropped unless asked for. Each of the two lists is read through an index of
   * its own in that order: unusable_payload_open and unusable_payload_latest.
   */
  async list({ after, limit, withDropped = false }: UnusableList): Promise<ListedPayload[]> {
    const conditions = [
      ...(withDropped ? [] : ['dropped_at is null']),
      ...(after ? [`(last_received_at, fingerprint) < (${timeOf('$2')}, $3)`] : []),
    ];
    return this.db.rows<ListedPayload>(
      `select ${listedColumns} from unusable_payload ${conditions.length > 0 ? `where ${conditions.join(' and ')}` : ''}
       order by last_received_at desc, fingerprint desc limit $1`,
      [limit, ...(after ? [after.micros, after.id] : [])],
    );
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
        { dropped_at: () => 'now()', last_dropped_at: () => 'now()', dropped_by: by, drop_reason: reason },
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
