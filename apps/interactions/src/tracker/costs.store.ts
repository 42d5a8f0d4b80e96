import { Injectable } from '@nestjs/common';
import { Db, type Queries, type Tx } from '@tradewind/service-kit';
import type { Month } from '@tradewind/shared-types';
import { AppConfig } from '../app.config.js';
import { trackerTables, type TrackerTables } from './tracker-tables.js';

/** What the runs of a company cost in a month, millionths of a US dollar. */
export interface Costs {
  /** Of the runs that have ended. */
  spentMicroUsd: number;
  /** What the jobs that wait or run may still cost. */
  reservedMicroUsd: number;
}

export interface MonthCosts extends Costs {
  month: Month;
}

export interface DayCosts {
  /** `YYYY-MM-DD` */
  day: string;
  spentMicroUsd: number;
}

/** Which companies a list has: all unless given. */
export interface CompanyPage {
  /** This one alone. */
  companyId?: string | undefined;
  /** Those behind it, by the code points of their names. */
  after?: string | undefined;
  limit?: number | undefined;
}

/** Sums of type numeric, which the driver gives as text. */
interface CostsRow {
  spent: string;
  reserved: string;
}

/** As the index `tracker_reserved` has it: the stages in which a run may still cost something. */
const isReserved = `stage in ('queued', 'starting', 'unsettled', 'following')`;

/**
 * Reads what companies have spent and reserved. A job counts to the month (UTC) in which it was accepted, by the clock
 * of the database. TransitionsStore writes the totals.
 */
@Injectable()
export class CostsStore {
  private readonly tables: TrackerTables;

  constructor(
    private readonly db: Db,
    config: AppConfig,
  ) {
    this.tables = trackerTables(config.ENVIRONMENT);
  }

  /** Until the transaction ends no other one decides what the company may still start. */
  async lock(tx: Tx, companyId: string): Promise<void> {
    await tx.rows('select pg_advisory_xact_lock(hashtextextended($1, 0))', [
      `budget in ${this.tables.tracker} of ${companyId}`,
    ]);
  }

  /**
   * One statement, so that a run which ends meanwhile is either reserved or spent. It reads a row for each day, and an
   * index of what is reserved.
   *
   * @param month the present one unless given
   */
  async get(companyId: string, month?: Month, on: Queries = this.db): Promise<MonthCosts> {
    const [row] = await on.rows<CostsRow & { month: Month }>(
      `${monthOf('$2')}
       select month,
         (select coalesce(sum(cost_micro_usd), 0) from ${this.tables.companyCosts}
           where user_company_id = $1 and day >= first_day and day < next_first_day) as spent,
         (select coalesce(sum(reserved_micro_usd), 0) from ${this.tables.tracker}
           where user_company_id = $1 and ${isReserved} and created_at >= begins and created_at < ends) as reserved
       from month`,
      [companyId, month ?? null],
    );
    // There is one month, so there is one row.
    return { month: row!.month, ...toCosts(row!) };
  }

  /**
   * Of companies that spent or reserved something in the month, by name. A page reads its first companies of each day
   * through the index `costs_of_day_by_name`, and an index of all that is reserved, which is what waits or runs. One
   * statement, as `get` is.
   */
  async list(month?: Month, { companyId, after, limit }: CompanyPage = {}): Promise<Map<string, Costs>> {
    const { companyCosts, tracker } = this.tables;
    const isWanted = `($2::text is null or user_company_id = $2) and user_company_id collate "C" > coalesce($3::text, '')`;
    const rows = await this.db.rows<CostsRow & { company: string }>(
      `${monthOf('$1')}, companies as (
         select of_day.company
         from month, generate_series(first_day, next_first_day - 1, interval '1 day') as days(at), lateral (
           select user_company_id as company from ${companyCosts}
           where day = days.at::date and ${isWanted} order by user_company_id collate "C" limit $4
         ) as of_day
         union
         select user_company_id from month join ${tracker} on created_at >= begins and created_at < ends
         where ${isReserved} and ${isWanted}
       ), page as (
         select company from companies order by company collate "C" limit $4
       )
       select company,
         (select coalesce(sum(cost_micro_usd), 0) from ${companyCosts}
           where user_company_id = company and day >= first_day and day < next_first_day) as spent,
         (select coalesce(sum(reserved_micro_usd), 0) from ${tracker}
           where user_company_id = company and ${isReserved} and created_at >= begins and created_at < ends) as reserved
       from month cross join page order by company collate "C"`,
      [month ?? null, companyId ?? null, after ?? null, limit ?? null],
    );
    return new Map(rows.map((row) => [row.company, toCosts(row)]));
  }

  /** The days of the month on which jobs were accepted whose runs cost something, in order. */
  async listDays(companyId: string, month?: Month): Promise<DayCosts[]> {
    const rows = await this.db.rows<{ day: string; spent: string }>(
      `${monthOf('$2')}
       select day::text, cost_micro_usd as spent
       from month join ${this.tables.companyCosts} on day >= first_day and day < next_first_day
       where user_company_id = $1 order by day`,
      [companyId, month ?? null],
    );
    return rows.map(({ day, spent }) => ({ day, spentMicroUsd: Number(spent) }));
  }
}

/**
 * A common table of one row: the month of the parameter, or the present one when it is null. `created_at` is rounded to
 * milliseconds, so the present moment is rounded too before its month is taken.
 */
function monthOf(parameter: string): string {
  return `with start as (
      select coalesce((${parameter}::text || '-01')::timestamp,
                      date_trunc('month', now()::timestamptz(3) at time zone 'UTC')) as utc
    ), month as (
      select to_char(utc, 'YYYY-MM') as month, utc::date as first_day, (utc + interval '1 month')::date as next_first_day,
             utc at time zone 'UTC' as begins, (utc + interval '1 month') at time zone 'UTC' as ends
      from start
    )`;
}

function toCosts({ spent, reserved }: CostsRow): Costs {
  return { spentMicroUsd: Number(spent), reservedMicroUsd: Number(reserved) };
}
