import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '@tradewind/testkit';
import pg from 'pg';
import { startTcpProxy } from '../../test/tcp-proxy.js';
import { migrateDatabase, type Migration } from './migrate.js';

const items: Migration = {
  name: '0001-items',
  up: 'create table item(id int primary key); create table other(id int)',
};
const colours: Migration = {
  name: '0002-colours',
  up: async (query) => {
    await query('alter table item add colour text');
    await query('insert into item values ($1, $2)', [1, 'red']);
  },
};

describe('migrateDatabase', () => {
  let database: TestDatabase;
  let config: { DATABASE_URL: string; DATABASE_SCHEMA: string };
  const query = async (sql: string) => {
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    try {
      return (await client.query<Record<string, unknown>>(sql)).rows;
    } finally {
      await client.end();
    }
  };

  beforeEach(async () => {
    database = await createTestDatabase();
    config = { DATABASE_URL: database.url, DATABASE_SCHEMA: 'example' };
  });
  afterEach(() => database.drop());

  it('creates the schema and applies what is not applied yet, each once', async () => {
    expect(await migrateDatabase(config, [items])).toEqual(['0001-items']);
    expect(await migrateDatabase(config, [items, colours])).toEqual(['0002-colours']);
    expect(await migrateDatabase(config, [items, colours])).toEqual([]);
    expect(await query('select * from example.item')).toEqual([{ id: 1, colour: 'red' }]);
  });

  it('continues from the record of earlier releases', async () => {
    await query(`create schema example;
      create table example.migration(name text primary key, applied_at timestamptz not null default now());
      create table example.item(id int primary key);
      insert into example.migration(name) values ('0001-items')`);
    expect(await migrateDatabase(config, [items, colours])).toEqual(['0002-colours']);
  });

  it('keeps finished migrations, and nothing of one whose process was killed', async () => {
    const killed: Migration = {
      name: '0002-killed',
      up: 'create table half(id int); select pg_terminate_backend(pg_backend_pid())',
    };
    await expect(migrateDatabase(config, [items, killed])).rejects.toThrow('Migration 0002-killed failed');
    expect(await query("select to_regclass('example.half') as half")).toEqual([{ half: null }]);
    expect(await migrateDatabase(config, [items, colours])).toEqual(['0002-colours']);
  });

  it('lets replicas that start together wait for one another', async () => {
    const applied = await Promise.all([1, 2, 3, 4].map(() => migrateDatabase(config, [items, colours])));
    expect(applied.filter((names) => names.length === 2)).toHaveLength(1);
    expect(applied.filter((names) => names.length === 0)).toHaveLength(3);
  });

  it('gives way to other work while a long transaction keeps a table', async () => {
    await migrateDatabase(config, [items]);
    const long = new pg.Client({ connectionString: database.url });
    await long.connect();
    await long.query('begin; select * from example.item');
    const migrated = migrateDatabase(config, [items, colours]);
    let [reads, longestMs] = [0, 0];
    const until = performance.now() + 3000;
    while (performance.now() < until) {
      const startedMs = performance.now();
      await query('select * from example.item');
      reads += 1;
      longestMs = Math.max(longestMs, performance.now() - startedMs);
    }
    await long.end();
    expect(await migrated).toEqual(['0002-colours']);
    expect(longestMs).toBeLessThan(2000);
    expect(reads).toBeGreaterThan(2);
  });

  it('leaves nothing of a migration that fails, and names it', async () => {
    const broken: Migration = { name: '0002-broken', up: 'create table half(id int); select nonsense' };
    await expect(migrateDatabase(config, [items, broken])).rejects.toThrow('Migration 0002-broken failed');
    expect(await query('select name from example.migration')).toEqual([{ name: '0001-items' }]);
    expect(await query("select to_regclass('example.half') as half")).toEqual([{ half: null }]);
  });

  it('leaves the migrations of a newer release alone', async () => {
    await migrateDatabase(config, [items, colours]);
    expect(await migrateDatabase(config, [items])).toEqual([]);
  });

  it.each([
    ['1-items', []],
    ['0001-Items', []],
    ['0003-items', ['0002-older']],
    ['0003-items', ['0003-twin']],
  ])('refuses %s followed by %j', async (name, later) => {
    const migrations = [name, ...later].map((each) => ({ name: each, up: 'select 1' }));
    await expect(migrateDatabase(config, migrations)).rejects.toThrow(/named like|order of their numbers/);
  });

  it('waits for a database that is not there yet, but not for one that refuses the password', async () => {
    const address = new URL(database.url);
    const proxy = await startTcpProxy({ host: address.hostname, port: Number(address.port) });
    proxy.cut();
    address.port = String(proxy.port);
    const migrated = migrateDatabase({ ...config, DATABASE_URL: address.toString() }, [items]);
    await proxy.refused();
    proxy.resume();
    expect(await migrated).toEqual(['0001-items']);
    await proxy.close();

    address.port = new URL(database.url).port;
    address.password = 'wrong';
    await expect(migrateDatabase({ ...config, DATABASE_URL: address.toString() }, [items])).rejects.toThrow('password');
  });

  it('refuses a schema name that would have to be quoted', async () => {
    await expect(migrateDatabase({ ...config, DATABASE_SCHEMA: 'x"; drop' }, [])).rejects.toThrow('DATABASE_SCHEMA');
  });
});
