import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createLogger, Metrics, ReadinessRegistry } from '@tradewind/service-kit';
import { createTestDatabase, type TestDatabase } from '@tradewind/testkit';
import type { AppConfig } from '../app.config.js';
import type { AppEvents } from '../events.js';
import { DataStore, type Statement } from './data-store.js';

describe('DataStore', () => {
  let database: TestDatabase;
  let store: DataStore;
  beforeAll(async () => {
    database = await createTestDatabase({ name: 'no_tables', migrate: async () => undefined });
    const config = {
      DATABASE_URL: database.url,
      DATABASE_SCHEMA: 'public',
      DATA_POOL_SIZE: 6,
      DATABASE_CONNECTION_TIMEOUT_MS: 5000,
      DATA_STATEMENT_TIMEOUT_MS: 5000,
    } as AppConfig;
    const events = { emit: () => undefined } as unknown as AppEvents;
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
});
