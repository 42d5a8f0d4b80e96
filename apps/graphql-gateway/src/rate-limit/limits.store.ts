// All SQL on the counters. Every take is one statement with its condition: atomic over all replicas and kept over a
// restart. Windows begin and end by the clock of the database, which all replicas share. The day is the caller's: at
// midnight replicas with different clocks count two days for a moment, each up to its limit.
import type { OnApplicationShutdown } from '@nestjs/common';
import { type Db, type Logger, openDb } from '@tradewind/service-kit';
import type { AppConfig } from '../app.config.js';
import { utcDay } from '../clock.js';
import { DailyTakes, type DailyTaken } from './daily-takes.js';
import { dataLimit, usageDaysMax } from './limits.js';

export interface DayUse {
  /** `YYYY-MM-DD`, UTC. */
  day: string;
  used: number;
}

export interface UserUse {
  userId: string;
  email: string;
  companyId: string | null;
  used: number;
  lastDay: string;
}

export interface UsersByUse {
  since: Date;
  companyId: string | undefined;
  limit: number;
  /** The user before the page; undefined for the first page. */
  after: Pick<UserUse, 'used' | 'userId'> | undefined;
}

export interface WindowState {
  used: number;
  /** Until the window ends; null when there is none. */
  resetSeconds: number | null;
}

export interface WindowTake extends WindowState {
  isAllowed: boolean;
  /** By the clock of the database, for `giveBackWindows`. */
  takenAt: Date;
}

/** The time as a Date can hold it. */
const now = `date_trunc('milliseconds', now())`;
const secondsUntil = (instant: string): string => `ceil(extract(epoch from ${instant} - ${now}))::int`;

/** Those whose newest key is of the company, found through its keys. */
const usersOfCompany = (company: string): string =>
  `select m.user_id from (select distinct user_id from api_key where company_id = ${company}) m
    where ${company} = (select company_id from api_key where user_id = m.user_id
                         order by created_at desc, id desc limit 1)`;

export class LimitsStore implements OnApplicationShutdown {
  private readonly daily: DailyTakes;

  private constructor(
    private readonly db: Db,
    callsPerDay: number,
  ) {
    this.daily = new DailyTakes((name, text, values) => this.query(name, text, values), callsPerDay);
  }

  /**
   * The counters have connections of their own that do not wait for the disk at commit. Only a crash of the database
   * server can lose counts, those of its last second.
   */
  static async open(config: AppConfig, logger: Logger): Promise<LimitsStore> {
    const db = await openDb(config, {
      application: 'graphql_gateway limits',
      // Every statement finds its rows by primary key, so one plan fits all values.
      parameters: { synchronous_commit: 'off', plan_cache_mode: 'force_generic_plan' },
      onIdleConnectionLost: (error) => logger.warn({ err: error }, 'an idle connection to the counters was lost'),
    });
    return new LimitsStore(db, dataLimit(config));
  }

  async onApplicationShutdown(): Promise<void> {
    await this.db.close();
  }

  /** Takes `cost` units of the user's day when that stays within the day's limit; otherwise takes nothing. */
  async takeDaily(userId: string, cost: number, now: Date): Promise<DailyTaken> {
    return this.daily.take({ userId, day: utcDay(now), cost });
  }

  async giveBackDaily(userId: string, cost: number, takenAt: Date): Promise<void> {
    await this.query(
      'give-back-daily',
      'update daily_quota set used = greatest(used - $3, 0) where user_id = $1 and day = $2::date',
      [userId, utcDay(takenAt), cost],
    );
  }

  async dailyUse(userId: string, now: Date): Promise<number> {
    const rows = await this.query<{ used: number }>(
      'daily-use',
      'select used from daily_quota where user_id = $1 and day = $2::date',
      [userId, utcDay(now)],
    );
    return rows[0]?.used ?? 0;
  }

  /** Data calls of the days since then that have any, the first day first. */
  async dailyUses(userId: string, since: Date): Promise<DayUse[]> {
    return this.query<DayUse>(
      'daily-uses-of-user',
      `select day::text, used from daily_quota where user_id = $1 and day >= $2::date and used > 0 order by day`,
      [userId, utcDay(since)],
    );
  }

  /** The same of all users, or of those of a company. Reads a row for each of these users and day. */
  async dailyUsesOfAll(companyId: string | undefined, since: Date): Promise<DayUse[]> {
    return this.query<DayUse>(
      `daily-uses-of-${companyId === undefined ? 'all' : 'company'}`,
      `select day::text, sum(used)::float8 as used from daily_quota
        where day >= $1::date and used > 0 ${companyId === undefined ? '' : `and user_id in (${usersOfCompany('$2')})`}
        group by day`,
      [utcDay(since), ...(companyId === undefined ? [] : [companyId])],
    );
  }

  /**
   * Users with data calls since that day, those with most first. Address and company are those of their newest key:
   * who has called has a key.
   */
  async usersByUse({ since, companyId, limit, after }: UsersByUse): Promise<UserUse[]> {
    return this.query<UserUse>(
      `users-by-use-of-${companyId === undefined ? 'all' : 'company'}`,
      `select u.user_id as "userId", k.user_email as "email", k.company_id as "companyId", u.used,
              u.last_day as "lastDay"
         from (select user_id, sum(used)::int as used, max(day)::text as last_day from daily_quota
                where day >= $1::date and used > 0
                  ${companyId === undefined ? '' : `and user_id in (${usersOfCompany('$5')})`}
                group by user_id) u
         join lateral (select user_email, company_id from api_key where user_id = u.user_id
                        order by created_at desc, id desc limit 1) k on true
        where $2::int is null or (u.used, u.user_id) < ($2::int, $3::uuid)
        order by u.used desc, u.user_id desc limit $4`,
      [
        ...[utcDay(since), after?.used ?? null, after?.userId ?? null, limit],
        ...(companyId === undefined ? [] : [companyId]),
      ],
    );
  }

  /** Takes `cost` units of every window, or of none; reports the fullest. A cost of 0 just looks. */
  async takeWindows(keys: string[], cost: number, limit: number, windowSeconds: number): Promise<WindowTake> {
    const rows = await this.query<WindowTake>(
      'take-windows',
      // A window may have begun while this statement waited for it: what it took is of that window.
      `select allowed as "isAllowed", used, ${secondsUntil('ends_at')} as "resetSeconds",
              greatest(${now}, ends_at - make_interval(secs => $3)) as "takenAt"
         from take_request_units($1, $2, $3, $4, ${now})`,
      [keys, limit, windowSeconds, cost],
    );
    return rows[0]!;
  }

  /** Looks at the windows and changes nothing. */
  async windowUse(keys: string[], windowSeconds: number): Promise<WindowState> {
    const end = 'started_at + make_interval(secs => $2)';
    const rows = await this.query<WindowState>(
      'window-use',
      `select used, ${secondsUntil(end)} as "resetSeconds" from request_window
        where key = any ($1) and ${end} > ${now} order by used desc, ${end} desc limit 1`,
      [keys, windowSeconds],
    );
    return rows[0] ?? { used: 0, resetSeconds: null };
  }

  /** Gives units back to windows that have not restarted since. */
  async giveBackWindows(keys: string[], cost: number, windowSeconds: number, takenAt: Date): Promise<void> {
    await this.query(
      'give-back-windows',
      `update request_window set used = greatest(used - $2, 0)
        where key = any ($1) and started_at <= $4 and started_at + make_interval(secs => $3) > $4`,
      [keys, cost, windowSeconds, takenAt],
    );
  }

  /** Drops counters that can no longer matter, and days that are shown no longer. */
  async removeExpired(today: Date, windowSeconds: number): Promise<void> {
    await this.query('drop-days', 'delete from daily_quota where day <= $1::date - $2::int', [
      utcDay(today),
      usageDaysMax,
    ]);
    await this.query(
      'drop-windows',
      "delete from request_window where started_at + make_interval(secs => $1) < now() - interval '1 minute'",
      [windowSeconds],
    );
  }

  private query<Row extends object>(name: string, text: string, values: unknown[]): Promise<Row[]> {
    return this.db.rows<Row>({ name, text }, values);
  }
}
