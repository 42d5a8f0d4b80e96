import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';

export interface UnusablePayload {
  fingerprint: string;
  reason: string;
  body: unknown;
  correlation_id: string | null;
  times: number;
  first_received_at: Date;
  last_received_at: Date;
}

/** All SQL of the table unusable_payload: webhooks that no profile could be found in, kept for a person to look at. */
@Injectable()
export class UnusablePayloadsStore {
  constructor(private readonly db: DataSource) {}

  async keep(payload: {
    fingerprint: string;
    reason: string;
    body: string;
    correlationId: string | undefined;
    receivedAt: Date;
  }): Promise<void> {
    await this.db.query(
      `insert into unusable_payload(fingerprint, reason, body, correlation_id, first_received_at, last_received_at)
       values ($1, $2, $3, $4, $5, $5)
       on conflict (fingerprint) do update set times = unusable_payload.times + 1, last_received_at = excluded.last_received_at`,
      [payload.fingerprint, payload.reason, payload.body, payload.correlationId ?? null, payload.receivedAt],
    );
  }

  /** Latest first. */
  async list(limit: number): Promise<UnusablePayload[]> {
    return this.db.query<UnusablePayload[]>('select * from unusable_payload order by last_received_at desc limit $1', [
      limit,
    ]);
  }

  /** Removes what nobody has sent since. */
  async removeLastReceivedBefore(tx: EntityManager, before: Date, limit: number): Promise<number> {
    const [, removed] = await tx.query<[unknown[], number]>(
      `delete from unusable_payload where fingerprint in (
         select fingerprint from unusable_payload where last_received_at < $1 order by last_received_at limit $2)`,
      [before, limit],
    );
    return removed;
  }
}
