import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openDb, type Db, type Session } from '@tradewind/service-kit';
import { createTestDatabase, type TestDatabase } from '@tradewind/testkit';
import { RunLock } from './run-lock.js';

describe('RunLock', () => {
  let database: TestDatabase;
  let db: Db;
  beforeAll(async () => {
    database = await createTestDatabase({ name: 'no_tables', migrate: async () => undefined });
    db = await openDb({
      DATABASE_URL: database.url,
      DATABASE_SCHEMA: 'public',
      DATABASE_POOL_SIZE: 3,
      DATABASE_CONNECTION_TIMEOUT_MS: 30_000,
      DATABASE_STATEMENT_TIMEOUT_MS: 15_000,
    });
  });
  afterAll(async () => {
    await db.close();
    await database.drop();
  });

  /** A Db on which a statement is cancelled: before it has run, or after. */
  function cancelling(pattern: string, when: 'before' | 'after'): Db {
    const connect = async (): Promise<Session> => {
      const session = await db.connect();
      const rows = session.rows.bind(session);
      session.rows = async <Row extends object>(...[sql, values]: Parameters<Session['rows']>) => {
        const isCancelled = (typeof sql === 'string' ? sql : sql.text).includes(pattern);
        const result = isCancelled && when === 'before' ? [] : await rows<Row>(sql, values);
        if (isCancelled) throw new Error('canceling statement due to statement timeout');
        return result;
      };
      return session;
    };
    return { connect } as Db;
  }
  async function eventuallyFree(): Promise<void> {
    const endMs = performance.now() + 10_000;
    for (;;) {
      const lock = await new RunLock(db).tryTake();
      if (lock) return lock.release();
      // PostgreSQL ends a session a moment after its connection was closed.
      if (performance.now() > endMs) throw new Error('the lock is still held');
    }
  }

  it('is held by one, and free once it is released', async () => {
    const lock = new RunLock(db);
    const held = await lock.tryTake();
    expect(held).toBeDefined();
    expect(await lock.tryTake()).toBeUndefined();
    await held!.release();
    const next = await lock.tryTake();
    expect(next).toBeDefined();
    await next!.release();
  });

  it('is free after an unlock that was cancelled', async () => {
    const held = await new RunLock(cancelling('pg_advisory_unlock', 'before')).tryTake();
    await held!.release();
    await eventuallyFree();
  });

  it('is free after an attempt that was cancelled when the lock was taken', async () => {
    await expect(new RunLock(cancelling('pg_try_advisory_lock', 'after')).tryTake()).rejects.toThrow('canceling');
    await eventuallyFree();
  });
});
