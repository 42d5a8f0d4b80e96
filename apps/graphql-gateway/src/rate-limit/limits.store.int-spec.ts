// The counters on PostgreSQL: when another transaction locks their rows in a circle, and what they read of many users.
import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { createLogger, Db, migrateDatabase } from '@tradewind/service-kit';
import { createTestDatabase, type ExplainedRow, rowsRead, testPool, type TestDatabase } from '@tradewind/testkit';
import type pg from 'pg';
import type { AppConfig } from '../app.config.js';
import { migrations } from '../migrations.js';
import { LimitsStore } from './limits.store.js';

const keys = ['ip:a', 'user:b'];
const [limit, windowSeconds] = [10, 60];

describe('counters', () => {
  let database: TestDatabase;
  let store: LimitsStore;
  let sql: pg.Pool;
  beforeAll(async () => {
    const settings = (url: string) => ({
      DATABASE_URL: url,
      DATABASE_SCHEMA: 'graphql_gateway',
      DATABASE_POOL_SIZE: 2,
      DATABASE_CONNECTION_TIMEOUT_MS: 10_000,
      DATABASE_STATEMENT_TIMEOUT_MS: 15_000,
      DATA_CALLS_PER_DAY: 10,
    });
    database = await createTestDatabase({
      name: 'gateway_limits',
      migrate: async (url) => void (await migrateDatabase(settings(url), migrations)),
    });
    store = await LimitsStore.open(
      settings(database.url) as AppConfig,
      createLogger({ service: 'limits', level: 'silent' }),
    );
    sql = testPool({ connectionString: database.url, max: 2, options: '-c search_path=graphql_gateway' });
  });
  afterAll(async () => {
    await store.onApplicationShutdown();
    await sql.end();
    await database.drop();
  });
  beforeEach(async () => {
    await sql.query('truncate request_window');
    await store.takeWindows(keys, 1, limit, windowSeconds);
  });

  it('of one company are read without those of others', async () => {
    const users = `(select md5(n::text)::uuid as id, case when n <= 2 then 'few' else 'many' end as company
                    from generate_series(1, 3000) n) u`;
    await sql.query(
      `insert into api_key
         (user_id, user_email, name, prefix, key_hash, created_at, expires_at, credentials_version, company_id)
       select id, 'ada@example.com', 'k', 'svc_0000', sha256(id::text::bytea), now(), now(), 1, company from ${users}`,
    );
    await sql.query(
      `insert into daily_quota (user_id, day, used)
       select id, current_date - n, 5 from ${users}, generate_series(0, 9) n`,
    );
    await sql.query('analyze api_key, daily_quota');
    const since = new Date(Date.now() - 86_400_000 * 30);
    const asked = jest.spyOn(Db.prototype, 'rows');
    const few = await store.dailyUsesOfAll('few', since);
    const usersOfFew = await store.usersByUse({ since, companyId: 'few', limit: 10, after: undefined });
    const statements = asked.mock.calls.map(([statement, values]) => ({ statement, values }));
    asked.mockRestore();
    expect([few.length, few[0]!.used, usersOfFew.map(({ used }) => used)]).toEqual([10, 10, [50, 50]]);
    for (const { statement, values } of statements) {
      const text = typeof statement === 'string' ? statement : statement.text;
      const { rows } = await sql.query<ExplainedRow>(`explain (analyze, format json) ${text}`, [...values!]);
      // Ten days of two users, and their keys for some times.
      expect(rowsRead(rows[0]!)).toBeLessThan(40);
    }
  });

  /** The work waits for the second row, and another transaction for the first. PostgreSQL ends the work. */
  async function inACircle<T>(begin: () => Promise<T>): Promise<T> {
    const other = await sql.connect();
    const lock = (key: string) => other.query('select from request_window where key = $1 for update', [key]);
    try {
      // The one that has waited for this long looks for a circle, and ends.
      await other.query('begin; set local deadlock_timeout = 10000');
      await lock(keys[1]!);
      const work = begin();
      work.catch(() => undefined);
      const isWaiting = async () => {
        const { rows } = await sql.query<{ waits: boolean }>(
          `select exists (select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()) as waits`,
        );
        return rows[0]!.waits;
      };
      while (!(await isWaiting())) await new Promise((resolve) => setTimeout(resolve, 5));
      await lock(keys[0]!);
      await other.query('commit');
      return await work;
    } finally {
      other.release();
    }
  }

  it('take their units all the same', async () => {
    const taken = await inACircle(() => store.takeWindows(keys, 1, limit, windowSeconds));
    expect(taken).toMatchObject({ isAllowed: true, used: 2 });
  });

  it('give units back all the same', async () => {
    const { takenAt } = await store.takeWindows(keys, 1, limit, windowSeconds);
    await inACircle(() => store.giveBackWindows(keys, 1, windowSeconds, takenAt));
    expect(await store.windowUse(keys, windowSeconds)).toMatchObject({ used: 1 });
  });
});
