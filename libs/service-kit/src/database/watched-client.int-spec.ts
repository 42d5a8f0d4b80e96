// A server that does not answer: the client closes the connection, and only then.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '@tradewind/testkit';
import pg from 'pg';
import { isDatabaseUnavailable } from './database-failure.js';
import { WatchedClient } from './watched-client.js';

describe('WatchedClient', () => {
  let database: TestDatabase;
  let pool: pg.Pool;
  beforeAll(async () => {
    database = await createTestDatabase({ name: 'no_tables', migrate: async () => undefined });
    const options = { connectionString: database.url, answerTimeoutMs: 1000 };
    pool = new pg.Pool({ ...options, max: 2, Client: WatchedClient });
    pool.on('error', () => undefined);
  });
  afterAll(async () => {
    await pool.end();
    await database.drop();
  });

  it('gives up on a statement without an answer and takes another connection for the next', async () => {
    const startedAt = performance.now();
    const failure: unknown = await pool.query('select pg_sleep(60)').catch((error: unknown) => error);
    expect(failure).toEqual(new Error('Query read timeout'));
    expect(isDatabaseUnavailable(failure)).toBe(true);
    expect(performance.now() - startedAt).toBeLessThan(10_000);
    expect((await pool.query<{ one: number }>('select 1 as one')).rows).toEqual([{ one: 1 }]);
  });

  it('keeps connections that are idle or whose statements are answered', async () => {
    const busy = await pool.connect();
    const idle = await pool.connect();
    try {
      await idle.query('select 1');
      const until = performance.now() + 4500;
      while (performance.now() < until) await busy.query('select pg_sleep(0.4)');
      expect((await idle.query<{ one: number }>('select 1 as one')).rows).toEqual([{ one: 1 }]);
    } finally {
      busy.release();
      idle.release();
    }
  });
});
