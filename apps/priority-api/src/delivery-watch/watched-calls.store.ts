import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';

export interface WatchedCall {
  month: string;
  network_username: string;
  correlation_id: string;
  scrape_id: string;
  started_at: Date;
}

/** SQL of what profile_call knows about deliveries. */
@Injectable()
export class WatchedCallsStore {
  constructor(private readonly db: DataSource) {}

  /** Takes started profiles that are not known as delivered, those not looked at for the longest first. */
  async claim(options: { limit: number; ageMs: number; intervalMs: number }): Promise<WatchedCall[]> {
    const [rows] = await this.db.query<[WatchedCall[], number]>(
      `update profile_call c set watched_at = now()
       from (select correlation_id as picked_id from profile_call
             where state = 'started' and delivered_at is null and started_at < now() - $2 * interval '1 millisecond'
               and (watched_at is null or watched_at < now() - $3 * interval '1 millisecond')
             order by watched_at nulls first, started_at limit $1 for update skip locked) picked
       where c.correlation_id = picked.picked_id
       returning c.month, c.network_username, c.correlation_id, c.scrape_id, c.started_at`,
      [options.limit, options.ageMs, options.intervalMs],
    );
    return rows;
  }

  async recordDelivered(
    delivered: readonly { correlationId: string; receivedAt: string; status: 'SUCCESS' | 'FAILED' }[],
  ): Promise<void> {
    await this.db.query(
      `update profile_call c set delivered_at = d.received_at, delivered_status = d.status
       from unnest($1::text[], $2::timestamptz[], $3::text[]) as d(correlation_id, received_at, status)
       where c.correlation_id = d.correlation_id`,
      [
        delivered.map(({ correlationId }) => correlationId),
        delivered.map(({ receivedAt }) => receivedAt),
        delivered.map(({ status }) => status),
      ],
    );
  }

  /** Age of the oldest started profile that is not known as delivered, seconds; 0 when there is none. */
  async oldestUndeliveredSeconds(): Promise<number> {
    const [row] = await this.db.query<{ seconds: number }[]>(
      `select coalesce(extract(epoch from now() - min(started_at)), 0)::float8 as seconds
       from profile_call where state = 'started' and delivered_at is null`,
    );
    return row?.seconds ?? 0;
  }
}
