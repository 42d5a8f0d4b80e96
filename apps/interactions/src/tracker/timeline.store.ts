import { Injectable } from '@nestjs/common';
import { Db, type Queries } from '@tradewind/service-kit';
import { AppConfig } from '../app.config.js';
import { trackerTables } from './tracker-tables.js';

/** `transition` and `webhook` are written by triggers of the tracker and the inbox (migration 0004). */
export type TimelineKind = 'transition' | 'provider_call' | 'webhook';

export interface TimelineEntry {
  id: string;
  at: Date;
  kind: TimelineKind;
  details: Record<string, unknown>;
}

export interface NewTimelineEntry extends Omit<TimelineEntry, 'id'> {
  jobId: string;
}

/** What happened to each job. Rows are only added, and go with their job. */
@Injectable()
export class TimelineStore {
  private readonly table: string;

  constructor(
    private readonly db: Db,
    config: AppConfig,
  ) {
    this.table = trackerTables(config.ENVIRONMENT).timeline;
  }

  async add(entries: readonly NewTimelineEntry[], on: Queries = this.db): Promise<void> {
    await on.affected(
      `insert into ${this.table} (job_id, at, kind, details)
       select * from unnest($1::uuid[], $2::timestamptz[], $3::text[], $4::jsonb[])`,
      [
        entries.map(({ jobId }) => jobId),
        entries.map(({ at }) => at),
        entries.map(({ kind }) => kind),
        entries.map(({ details }) => JSON.stringify(details)),
      ],
    );
  }

  /** Of one job, in the order in which they were written; calls may be written half a second late. */
  async list(jobId: string, { after, limit }: { after?: string | undefined; limit: number }): Promise<TimelineEntry[]> {
    return this.db.rows<TimelineEntry>(
      `select entry_id::text as id, at, kind, details from ${this.table}
       where job_id = $1 and entry_id > $2::bigint order by entry_id limit $3`,
      [jobId, after ?? '0', limit],
    );
  }
}
