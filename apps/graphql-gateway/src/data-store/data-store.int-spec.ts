import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createLogger, Metrics, ReadinessRegistry } from '@tradewind/service-kit';
import { createTestDatabase, type TestDatabase } from '@tradewind/testkit';
import type { AppConfig } from '../app.config.js';
import type { AppEvents } from '../events.js';
import { DataStore, type Statement } from './data-store.js';

describe('DataStore', () => {
  let database: TestDatabase;
  let store: DataStore;
  const emitted: object[] = [];
  beforeAll(async () => {
    database = await createTestDatabase({ name: 'no_tables', migrate: async () => undefined });
    const config = {
      DATABASE_URL: database.url,
      DATABASE_SCHEMA: 'public',
      DATA_POOL_SIZE: 8,
      DATABASE_CONNECTION_TIMEOUT_MS: 1000,
      DATA_SLOW_STATEMENTS_MAX: 1,
      DATA_STATEMENT_TIMEOUT_MS: 5000,
    } as AppConfig;
    const events = {
      emit: (name: string, fields: object) => emitted.push({ name, ...fields }),
      gauge: () => undefined,
    } as unknown as AppEvents;
    const logger = createLogger({ service: 'test', version: '1', level: 'silent' });
    store = new DataStore(config, events, logger, new ReadinessRegistry(new Metrics()));
  });
  afterAll(async () => {
    await store.onApplicationShutdown();
    await database.drop();
  });

  it.each([
    [true, 'force_generic_plan'],
    [false, 'force_custom_plan'],
  ])('has a statement whose isPlannedOnce is %s planned accordingly', async (isPlannedOnce, mode) => {
    const statement: Statement = { text: 'select current_setting($1)', values: ['plan_cache_mode'], isPlannedOnce };
    expect(await store.query(statement)).toEqual([{ current_setting: mode }]);
  });

  it('runs few slow statements at once, answers quick ones meanwhile, and refuses what waits for too long', async () => {
    const underWay = async () =>
      Number(
        (
          await store.query<{ count: string }>({
            text: `select count(*) from pg_stat_activity where datname = current_database() and query like 'select pg_sleep%' and state = 'active'`,
            values: [],
          })
        )[0]!.count,
      );
    const sleep = (seconds: number, meaning: string, isExpectedSlow: boolean) =>
      store.query({ text: `select pg_sleep($1)`, values: [seconds], caller: { meaning, isExpectedSlow } });
    const slow = Array.from({ length: 8 }, (_, n) => sleep(2, `broad ${n}`, true).then(() => 'answered', String));
    while ((await underWay()) === 0);
    for (let n = 0; n < 20; n++) await sleep(0, `narrow ${n}`, false);
    expect(await underWay()).toBe(1);
    const answers = await Promise.all(slow);
    expect(answers.filter((answer) => answer === 'answered')).toHaveLength(1);
    expect(answers.filter((answer) => answer.includes('Too many slow queries'))).toHaveLength(7);
    expect(emitted).toEqual(Array.from({ length: 7 }, () => ({ name: 'data_statement_refused', pace: 'slow' })));
    // What was found to be slow waits with the slow ones from then on; what was not is free of them.
    await sleep(1.2, 'said to be quick', false);
    const first = sleep(0.8, 'broad 0', true);
    const startMs = performance.now();
    await sleep(0, 'said to be quick', false);
    expect(performance.now() - startMs).toBeGreaterThan(500);
    await first;
  });

  it('lets no slow statement begin beside one that was expected to be quick and is not', async () => {
    const ended: string[] = [];
    const sleep = async (seconds: number, meaning: string, isExpectedSlow: boolean) => {
      await store.query({ text: `select pg_sleep($1)`, values: [seconds], caller: { meaning, isExpectedSlow } });
      ended.push(meaning);
    };
    const unforeseen = sleep(2, 'a broad page', false);
    await delay(1_200);
    const slow = sleep(0, 'a count', true);
    await sleep(0, 'a narrow page', false);
    await Promise.all([unforeseen, slow]);
    expect(ended).toEqual(['a narrow page', 'a broad page', 'a count']);
  });
});
