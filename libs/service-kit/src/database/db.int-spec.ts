import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '@tradewind/testkit';
import { EntitySchema } from 'typeorm';
import { hasLostRace, isDatabaseUnavailable, mayComeFromData } from './database-failure.js';
import type { Db, NamedStatement, Tx } from './db.js';
import { openDb } from './open-db.js';

interface Item {
  id: number;
  colour: string | null;
}
const itemEntity = new EntitySchema<Item>({
  name: 'item',
  columns: { id: { type: 'int', primary: true }, colour: { type: 'text', nullable: true } },
});
const connectionsMax = 2;

describe('Db', () => {
  let database: TestDatabase;
  let db: Db;
  const settings = () => ({
    DATABASE_URL: database.url,
    DATABASE_SCHEMA: 'public',
    DATABASE_POOL_SIZE: connectionsMax,
    DATABASE_CONNECTION_TIMEOUT_MS: 300,
    DATABASE_STATEMENT_TIMEOUT_MS: 1000,
  });

  beforeAll(async () => {
    database = await createTestDatabase();
    db = await openDb(settings(), { entities: [itemEntity] });
    await db.rows('create table item(id int primary key, colour text)');
  });
  beforeEach(() => db.rows('truncate item'));
  afterAll(async () => {
    await db.close();
    await database.drop();
  });

  const items = () => db.rows<Item>('select id, colour from item order by id');
  const failureOf = (work: Promise<unknown>): Promise<unknown> =>
    work.then(
      () => {
        throw new Error('it did not fail');
      },
      (error: unknown) => error,
    );

  it('gives each connection its run-time parameters and its name', async () => {
    const other = await openDb(settings(), { application: 'counters', parameters: { synchronous_commit: 'off' } });
    const [set] = await other.rows(
      `select current_setting('synchronous_commit') as commit, current_setting('application_name') as name,
              current_setting('search_path') as path`,
    );
    await other.close();
    expect(set).toEqual({ commit: 'off', name: 'counters', path: 'public' });
  });

  it('keeps a connection and its plans through a pause of minutes', async () => {
    // Only the timers of the pool: the others belong to the connection.
    const doNotFake = ['setInterval', 'setImmediate', 'nextTick', 'queueMicrotask', 'performance', 'Date'] as const;
    jest.useFakeTimers({ doNotFake: [...doNotFake] });
    try {
      const process = async () => db.rows('select pg_backend_pid() as pid');
      const before = await process();
      await jest.advanceTimersByTimeAsync(300_000);
      expect(await process()).toEqual(before);
    } finally {
      jest.useRealTimers();
    }
  });

  it('returns rows, and counts, in the same form for every kind of statement', async () => {
    expect(await db.rows('insert into item values ($1, $2), (2, null) returning id', [1, 'red'])).toEqual([
      { id: 1 },
      { id: 2 },
    ]);
    expect(await db.rows('update item set colour = $1 where id = 2 returning *', ['blue'])).toEqual([
      { id: 2, colour: 'blue' },
    ]);
    expect(await db.affected('update item set colour = null')).toBe(2);
    expect(await db.affected('insert into item values (1, null), (3, null) on conflict do nothing')).toBe(1);
    expect(await db.rows('delete from item where id > 1 returning id')).toEqual([{ id: 2 }, { id: 3 }]);
    expect(await db.affected('delete from item where id = 9')).toBe(0);
    expect(await items()).toEqual([{ id: 1, colour: null }]);
  });

  it('prepares a named statement once for each connection, inside transactions as well', async () => {
    const find: NamedStatement = { name: 'find_item', text: 'select $1::int as id' };
    await db.transaction(async (tx) => {
      expect(await tx.rows(find, [1])).toEqual([{ id: 1 }]);
      expect(await tx.rows(find, [2])).toEqual([{ id: 2 }]);
      expect(await tx.rows('select name, statement from pg_prepared_statements')).toEqual([
        { name: find.name, statement: find.text },
      ]);
    });
    await db.transaction(async (tx) => expect(await tx.affected(find, [3])).toBe(1));
  });

  it('plans a named statement through an index, even for a small table, when plans are generic', async () => {
    await db.rows('insert into item values (1, null)');
    await db.rows('analyze item');
    const generic = await openDb(settings(), { plans: 'generic' });
    const plan = await generic.session(async (session) => {
      await session.rows({ name: 'find', text: 'select * from item where id = any($1::int[])' }, [[1]]);
      return session.rows<{ 'QUERY PLAN': string }>("explain execute find('{1}')");
    });
    await generic.close();
    const text = plan.map((line) => line['QUERY PLAN']).join('\n');
    expect(text).toContain('item_pkey');
    expect(text).toContain('$1');
  });

  it('counts a connection that is lost inside a transaction as an unavailable database', async () => {
    const failure: unknown = await db
      .transaction(async (tx) => {
        const [backend] = await tx.rows<{ pid: number }>('select pg_backend_pid() as pid');
        await db.rows('select pg_terminate_backend($1, 1000)', [backend!.pid]);
        await delay(100);
        await tx.repository(itemEntity).find();
      })
      .catch((error: unknown) => error);
    expect(String(failure)).toContain('already released');
    expect(isDatabaseUnavailable(failure)).toBe(true);
  });

  it('commits what a transaction did, for raw SQL and repositories together', async () => {
    const result = await db.transaction(async (tx) => {
      await tx.rows(`insert into item values (1, 'red')`);
      await tx.repository(itemEntity).insert({ id: 2, colour: 'blue' });
      expect(await items()).toEqual([]);
      return tx.repository(itemEntity).count();
    });
    expect(result).toBe(2);
    expect(await db.repository(itemEntity).find({ order: { id: 'asc' } })).toEqual([
      { id: 1, colour: 'red' },
      { id: 2, colour: 'blue' },
    ]);
  });

  it('leaves nothing of a transaction that fails, and gives its connection back', async () => {
    for (let time = 0; time < connectionsMax + 1; time++) {
      const failure = db.transaction(async (tx) => {
        await tx.rows('insert into item values (1, null)');
        throw new Error('changed our mind');
      });
      await expect(failure).rejects.toThrow('changed our mind');
    }
    expect(await items()).toEqual([]);
  });

  it('lets only a transaction be passed as one', async () => {
    const count = (tx: Tx) => tx.repository(itemEntity).count();
    expect(await db.transaction(count)).toBe(0);
    // @ts-expect-error Each statement of a session is committed alone.
    expect(await db.session(count)).toBe(0);
  });

  it('keeps the connection of a session, and its locks, until the work is done', async () => {
    const key = 4711;
    const take = 'select pg_try_advisory_lock($1) as taken';
    await db.session(async (session) => {
      expect(await session.rows(take, [key])).toEqual([{ taken: true }]);
      expect(await db.rows(take, [key])).toEqual([{ taken: false }]);
      await session.rows('select pg_advisory_unlock($1)', [key]);
    });
    await db.session(async (session) => {
      expect(await session.rows(take, [key])).toEqual([{ taken: true }]);
      await session.rows('select pg_advisory_unlock($1)', [key]);
    });
  });

  it('closes the connection of a session that is ended, and its locks with it', async () => {
    const key = 4712;
    const session = await db.connect();
    const pidOf = 'select pg_backend_pid() as pid';
    const [held] = await session.rows<{ pid: number }>(pidOf);
    await session.rows('select pg_advisory_lock($1)', [key]);
    await session.end();
    expect(await db.rows('select pg_advisory_lock($1)', [key])).toHaveLength(1);
    expect(await db.rows(pidOf)).not.toEqual([held]);
    // The pool has room for as many connections as before.
    await db.session(items);
  });

  it('names the statement and the fault, never the values', async () => {
    await db.rows('insert into item values (1, null)');
    const twice = await failureOf(db.rows('insert into item values ($1, $2)', [1, 'of a user']));
    expect(twice).toMatchObject({ query: 'insert into item values ($1, $2)', code: '23505', constraint: 'item_pkey' });
    expect((twice as { parameters?: unknown }).parameters).toBeUndefined();
    expect(mayComeFromData(twice)).toBe(true);
    expect(isDatabaseUnavailable(twice)).toBe(false);
    // The connection stays usable.
    expect(await items()).toHaveLength(1);
  });

  it('opens no more connections than the pool may have, whoever asks, and waits no longer than it should', async () => {
    await db.session(() =>
      db.transaction(async () => {
        for (const work of [items(), db.repository(itemEntity).find(), db.transaction(items)]) {
          expect(isDatabaseUnavailable(await failureOf(work))).toBe(true);
        }
      }),
    );
    expect(await items()).toEqual([]);
  });

  describe('deadlocks and serialization failures', () => {
    const paint = 'update item set colour = $2 where id = $1';
    /** Locks the rows in the order of the ids. Another transaction holds the second row and waits for the first. */
    async function inACircle<T>(work: (meet: () => Promise<void>) => Promise<T>): Promise<T> {
      await db.rows(`insert into item values (1, null), (2, null)`);
      let other: Promise<unknown> | undefined;
      const opponent = await openDb({ ...settings(), DATABASE_STATEMENT_TIMEOUT_MS: 10_000 });
      const held = await opponent.connect();
      await held.rows('begin');
      // The one that has waited for the deadlock_timeout looks for a circle, and ends.
      await held.rows('set deadlock_timeout = 5000');
      await held.rows(paint, [2, 'of the other']);
      try {
        return await work(async () => {
          other ??= held.rows(paint, [1, 'of the other']).then(() => held.rows('commit'));
          await delay(50);
        });
      } finally {
        await other;
        await held.release();
        await opponent.close();
      }
    }

    it('runs a transaction again that PostgreSQL ended because of a deadlock', async () => {
      let runs = 0;
      await inACircle(async (meet) =>
        db.transaction(async (tx) => {
          runs += 1;
          await tx.rows('set local deadlock_timeout = 20');
          await tx.rows(paint, [1, 'ours']);
          await meet();
          await tx.rows(paint, [2, 'ours']);
        }),
      );
      // More often than twice when it locks the first row again before the other one wakes up.
      expect(runs).toBeGreaterThan(1);
      expect(await items()).toEqual([
        { id: 1, colour: 'ours' },
        { id: 2, colour: 'ours' },
      ]);
    });

    it('runs a transaction again that could not be serialized', async () => {
      await db.rows(`insert into item values (1, '0')`);
      let runs = 0;
      await db.transaction(async (tx) => {
        runs += 1;
        await tx.rows('set transaction isolation level repeatable read');
        const [before] = await tx.rows<Item>('select colour from item');
        if (runs === 1) await db.rows(paint, [1, '10']);
        await tx.rows(paint, [1, String(Number(before!.colour) + 1)]);
      });
      expect([runs, await items()]).toEqual([2, [{ id: 1, colour: '11' }]]);
    });

    const refused = (code: string) =>
      `do $$ begin perform nextval('tries'); raise exception using errcode = '${code}'; end $$`;
    const waysToAsk: Record<string, (code: string) => Promise<unknown>> = {
      rows: (code) => db.rows(refused(code)),
      affected: (code) => db.affected(refused(code)),
      transaction: (code) => db.transaction((tx) => tx.rows(refused(code))),
    };
    it.each(Object.keys(waysToAsk).flatMap((way) => ['40P01', '40001'].map((code) => [way, code] as const)))(
      'gives up after five times, as for a database that does not answer: %s, %s',
      async (way, code) => {
        await db.rows('drop sequence if exists tries; create sequence tries');
        const failure = await failureOf(waysToAsk[way]!(code));
        expect([hasLostRace(failure), isDatabaseUnavailable(failure), mayComeFromData(failure)]).toEqual([
          true,
          true,
          false,
        ]);
        expect(await db.rows('select last_value::int as tries from tries')).toEqual([{ tries: 5 }]);
      },
    );

    it('tries nothing twice that failed for another reason', async () => {
      await db.rows('drop sequence if exists tries; create sequence tries');
      await failureOf(db.transaction((tx) => tx.rows(refused('23514'))));
      expect(await db.rows('select last_value::int as tries from tries')).toEqual([{ tries: 1 }]);
    });
  });

  it('survives the loss of a connection in the middle of a transaction', async () => {
    const lost = db.transaction(async (tx) => {
      await tx.rows('insert into item values (1, null)');
      await tx.rows('select pg_terminate_backend(pg_backend_pid())');
    });
    expect(isDatabaseUnavailable(await failureOf(lost))).toBe(true);
    expect(await items()).toEqual([]);
  });
});
