import { Injectable } from '@nestjs/common';
import { Db } from '@tradewind/service-kit';
import { AppConfig } from '../app.config.js';
import { trackerTables, type TrackerTables } from './tracker-tables.js';

/** What came of the jobs that were accepted on a day (UTC). */
export interface DayTotals {
  /** `YYYY-MM-DD` */
  day: string;
  completed: number;
  failed: number;
  aborted: number;
  posts: number;
  comments: number;
  reactions: number;
  spentMicroUsd: number;
}

/** Jobs that have not ended. */
export interface ActiveTotals {
  pending: number;
  running: number;
  /** When the oldest of them was accepted; null without any. */
  oldestAt: Date | null;
}

type Row = Omit<DayTotals, 'spentMicroUsd'> & { spent: string };

/** Sums of the tracker for charts. */
@Injectable()
export class DayTotalsStore {
  private readonly tables: TrackerTables;

  constructor(
    private readonly db: Db,
    config: AppConfig,
  ) {
    this.tables = trackerTables(config.ENVIRONMENT);
  }

  /**
   * Each of the last days by the clock of the database, today last, also those without a job. Reads tracker_outcomes
   * alone, and one row of costs for each company and day.
   * @param companyId the one company whose jobs count; undefined: all
   */
  async list(days: number, companyId: string | undefined): Promise<DayTotals[]> {
    const ofCompany = '($2::text is null or user_company_id = $2)';
    const rows = await this.db.rows<Row>(
      `with day as (
         select date_trunc('day', now() at time zone 'UTC') - n * interval '1 day' as utc
         from generate_series(0, $1::int - 1) as n
       ), cost as (
         select day::timestamp as utc, sum(cost_micro_usd) as spent from ${this.tables.companyCosts}
         where day >= (select min(utc) from day)::date and ${ofCompany} group by day
       )
       select to_char(utc, 'YYYY-MM-DD') as day, completed::int, failed::int, aborted::int,
         coalesce(posts, 0)::float8 as posts, coalesce(comments, 0)::float8 as comments,
         coalesce(reactions, 0)::float8 as reactions, coalesce(spent, 0)::text as spent
       from day left join cost using (utc), lateral (
         select count(*) filter (where status = 'COMPLETED') as completed,
           count(*) filter (where status = 'FAILED') as failed, count(*) filter (where status = 'ABORTED') as aborted,
           sum(posts_count) as posts, sum(comments_count) as comments, sum(reactions_count) as reactions
         from ${this.tables.tracker}
         where stage = 'done' and created_at >= utc at time zone 'UTC'
           and created_at < (utc + interval '1 day') at time zone 'UTC' and ${ofCompany}
       ) as outcome
       order by utc`,
      [days, companyId ?? null],
    );
    return rows.map(({ spent, ...row }) => ({ ...row, spentMicroUsd: Number(spent) }));
  }

  /** Read through tracker_one_active_run. */
  async active(companyId: string | undefined): Promise<ActiveTotals> {
    const [row] = await this.db.rows<ActiveTotals>(
      `select count(*) filter (where status = 'PENDING')::int as pending,
         count(*) filter (where status = 'RUNNING')::int as running, min(created_at) as "oldestAt"
       from ${this.tables.tracker}
       where status in ('PENDING', 'RUNNING') and ($1::text is null or user_company_id = $1)`,
      [companyId ?? null],
    );
    return row!;
  }
}
