import { Injectable } from '@nestjs/common';
import { Db } from '@tradewind/service-kit';
import type { Month } from '@tradewind/shared-types';

export interface WatchedCall {
  month: Month;
  network_username: string;
  generation: string;
  correlation_id: string;
  /** Null, as is started_at, while it is not started. */
  scrape_id: string | null;
  created_at: Date;
  started_at: Date | null;
}

const columns = 'c.month, c.network_username, c.generation, c.correlation_id, c.scrape_id, c.created_at, c.started_at';

/** From the start to the delivery: all SQL that records in profile_call what has arrived and what is lost. */
@Injectable()
export class WatchedCallsStore {
  constructor(private readonly db: Db) {}

  /** Claims started profiles that are not known as delivered, those looked at longest ago first. */
  async claim(options: { limit: number; ageMs: number; intervalMs: number }): Promise<WatchedCall[]> {
    return this.db.rows<WatchedCall>(
      `update profile_call c set watched_at = now()
       from (select correlation_id as picked_id from profile_call
             where state = 'started' and delivered_at is null and started_at < now() - $2 * interval '1 ms'
               and (watched_at is null or watched_at < now() - $3 * interval '1 ms')
             order by watched_at nulls first, started_at limit $1 for update skip locked) picked
       where c.correlation_id = picked.picked_id
       returning ${columns}`,
      [options.limit, options.ageMs, options.intervalMs],
    );
  }

  /**
   * Those of the profiles that are started or refused and not known as delivered with success. Of several generations
   * the latest, unless one is named.
   */
  async listUndelivered(
    month: Month,
    networkUsernames: readonly string[],
    generation: string | undefined,
  ): Promise<WatchedCall[]> {
    return this.db.rows<WatchedCall>(
      `select ${columns} from (
         select distinct on (network_username) * from profile_call
         where month = $1 and network_username = any($2) and ($3::text is null or generation = $3)
         order by network_username, created_at desc) c
       where state in ('started', 'refused') and delivered_status is distinct from 'SUCCESS'`,
      [month, networkUsernames, generation ?? null],
    );
  }

  /** Records why the scrape is lost, and when that was first found. False: it was known before, or has arrived. */
  async recordLost(correlationId: string, reason: string): Promise<boolean> {
    const updated = await this.db.affected(
      `update profile_call set lost_at = now(), reason = $2
       where correlation_id = $1 and state = 'started' and delivered_at is null and lost_at is null`,
      [correlationId, reason],
    );
    return updated === 1;
  }

  async recordDelivered(
    delivered: readonly { correlationId: string; receivedAt: string; status: 'SUCCESS' | 'FAILED' }[],
  ): Promise<void> {
    await this.db.affected(
      `update profile_call c set delivered_at = d.received_at, delivered_status = d.status,
         reason = case when c.state = 'started' then null else c.reason end, lost_at = null
       from unnest($1::text[], $2::timestamptz[], $3::text[]) as d(correlation_id, received_at, status)
       where c.correlation_id = d.correlation_id`,
      [
        delivered.map(({ correlationId }) => correlationId),
        delivered.map(({ receivedAt }) => receivedAt),
        delivered.map(({ status }) => status),
      ],
    );
  }

  /** Read through profile_call_undelivered, which has only what is on its way. */
  async countLost(): Promise<number> {
    const [row] = await this.db.rows<{ n: number }>(
      `select count(*)::int as n from profile_call
       where state = 'started' and delivered_at is null and lost_at is not null`,
    );
    return row!.n;
  }

  /** Age of the oldest started profile that is not known as delivered, seconds; 0 when there is none. */
  async oldestUndeliveredSeconds(): Promise<number> {
    const [row] = await this.db.rows<{ seconds: number }>(
      `select coalesce(extract(epoch from now() - min(started_at)), 0)::float8 as seconds
       from profile_call where state = 'started' and delivered_at is null`,
    );
    return row?.seconds ?? 0;
  }
}
