// A service whose database goes away and comes back.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Controller, Get, Module } from '@nestjs/common';
import { createTestDatabase, type TestDatabase } from '@tradewind/testkit';
import {
  configClass,
  DatabaseModule,
  databaseSettings,
  Db,
  defineService,
  migrateDatabase,
  startService,
  type Migration,
  type RunningService,
} from '../src/index.js';
import { startTcpProxy, type TcpProxy } from './tcp-proxy.js';

class StoreConfig extends configClass({ ...databaseSettings({ schema: 'store' }) }) {}
const migrations: Migration[] = [{ name: '0001-item', up: 'create table item(id int primary key)' }];

@Controller()
class StoreController {
  constructor(private readonly db: Db) {}

  @Get('items')
  async items() {
    return this.db.rows("select count(*)::int as count, current_setting('search_path') as path from item");
  }

  @Get('settings')
  async settings() {
    return this.db.rows(
      "select current_setting('plan_cache_mode') as plans, current_setting('statement_timeout') as timeout",
    );
  }

  @Get('race')
  async race() {
    return this.db.rows("do $$ begin raise exception using errcode = '40P01'; end $$");
  }

  @Get('mistake')
  async mistake() {
    return this.db.rows('select * from no_such_table');
  }
}

@Module({ imports: [DatabaseModule.forRoot({ migrations })], controllers: [StoreController] })
class StoreModule {}

const storeService = defineService({
  name: 'store',
  config: StoreConfig,
  module: StoreModule,
  migrate: (config) => migrateDatabase(config, migrations),
});

describe('a service with a database', () => {
  let database: TestDatabase;
  let proxy: TcpProxy;
  let running: RunningService<StoreConfig>;
  const get = (path: string) => fetch(`${running.url}${path}`);

  beforeAll(async () => {
    database = await createTestDatabase();
    const address = new URL(database.url);
    proxy = await startTcpProxy({ host: address.hostname, port: Number(address.port) });
    address.port = String(proxy.port);
    running = await startService(storeService, {
      env: {
        ENVIRONMENT: 'dev',
        PORT: '0',
        LOG_LEVEL: 'silent',
        DATABASE_URL: address.toString(),
        DATABASE_STATEMENT_TIMEOUT_MS: '1000',
        DATABASE_CONNECTION_TIMEOUT_MS: '500',
        DATABASE_POOL_SIZE: '3',
      },
    });
  });
  afterAll(async () => {
    proxy.resume();
    await running.close();
    await proxy.close();
    await database.drop();
  });

  it('works in its own migrated schema, with plans for the values of each statement and a limit on its time', async () => {
    expect(await (await get('/items')).json()).toEqual([{ count: 0, path: 'store' }]);
    expect(await (await get('/settings')).json()).toEqual([{ plans: 'force_custom_plan', timeout: '1s' }]);
    expect(await (await get('/ready')).json()).toEqual({
      status: 'ready',
      service: 'store',
      dependencies: { postgres: 'up' },
    });
  });

  it('answers a mistake in a statement with 500 and nothing of the statement', async () => {
    const response = await get('/mistake');
    expect(response.status).toBe(500);
    expect(await response.text()).not.toContain('no_such_table');
  });

  const expectUnavailable = async (response: Response) => {
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '5']);
    expect(await response.json()).toEqual({
      message: 'The service is temporarily unavailable',
      error: 'Service Unavailable',
      statusCode: 503,
    });
  };

  it('answers 503 for a deadlock that comes again and again', async () => {
    await expectUnavailable(await get('/race'));
  });

  it('answers 503 within its time while every connection is in use, and works again at once', async () => {
    const db = running.app.get(Db);
    const held = await Promise.all(Array.from({ length: 3 }, () => db.connect()));
    const startedMs = performance.now();
    const responses = await Promise.all(Array.from({ length: 20 }, () => get('/items')));
    expect(performance.now() - startedMs).toBeLessThan(2000);
    for (const response of responses) await expectUnavailable(response);
    await Promise.all(held.map((session) => session.release()));
    expect((await get('/items')).status).toBe(200);
  });

  it.each(['cut', 'hang'] as const)(
    'answers 503 while the database is away (%s), and works again once it is back',
    async (way) => {
      expect((await get('/items')).status).toBe(200);
      proxy[way]();
      const startedAt = Date.now();
      const response = await get('/items');
      expect(Date.now() - startedAt).toBeLessThan(5000);
      await expectUnavailable(response);
      const ready = await get('/ready');
      expect(ready.status).toBe(503);
      expect(await ready.json()).toMatchObject({ status: 'not_ready', dependencies: { postgres: 'down' } });
      expect((await get('/health')).status).toBe(200);

      proxy.resume();
      // A connection that broke is only noticed when it is used: the first requests may still meet one.
      const deadline = Date.now() + 5000;
      while ((await get('/items')).status !== 200) {
        if (Date.now() > deadline) throw new Error('the service did not recover');
      }
      expect((await get('/items')).status).toBe(200);
      expect((await get('/ready')).status).toBe(200);
    },
  );
});
