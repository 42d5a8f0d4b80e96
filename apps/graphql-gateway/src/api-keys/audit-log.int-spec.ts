// The audit log on PostgreSQL: a table for each month, rows that nobody changes, and retention by month.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { migrateDatabase, openDb, type Db } from '@tradewind/service-kit';
import { createTestDatabase, type TestDatabase } from '@tradewind/testkit';
import { migrations } from '../migrations.js';
import { AuditEntry } from './audit-entry.entity.js';
import { AuditLogStore } from './audit-log.store.js';

const settings = (url: string) => ({
  DATABASE_URL: url,
  DATABASE_SCHEMA: 'graphql_gateway',
  DATABASE_POOL_SIZE: 4,
  DATABASE_CONNECTION_TIMEOUT_MS: 10_000,
  DATABASE_STATEMENT_TIMEOUT_MS: 15_000,
});
const keyId = '00000000-0000-4000-8000-000000000001';
const entry = (at: string, given: Partial<AuditEntry> = {}): AuditEntry => ({
  at: new Date(at),
  outcome: 'used',
  keyId,
  keyPrefix: 'svc_aaaa',
  userId: null,
  ip: '203.0.113.7',
  operationName: 'page',
  ...given,
});

describe('audit log', () => {
  let database: TestDatabase;
  let db: Db;
  beforeAll(async () => {
    // The table as it was before there were months, with rows of three months.
    database = await createTestDatabase({ name: 'audit_log', migrate: async () => undefined });
    const before = migrations.filter(({ name }) => name < '0010');
    await migrateDatabase(settings(database.url), before);
    db = await openDb(settings(database.url), { entities: [AuditEntry] });
    for (const at of ['2026-01-31T23:59:59.999Z', '2026-02-01T00:00:00.000Z', '2026-04-15T12:00:00.000Z']) {
      await db.affected(`insert into api_key_audit (at, outcome, key_id, ip) values ($1, 'used', $2, '::1')`, [
        at,
        keyId,
      ]);
    }
    await migrateDatabase(settings(database.url), migrations);
  });
  afterAll(async () => {
    await db.close();
    await database.drop();
  });
  let store: AuditLogStore;
  beforeEach(() => {
    store = new AuditLogStore(db);
  });

  const months = async (): Promise<string[]> =>
    (
      await db.rows<{ name: string }>(
        `select inhrelid::regclass::text as name from pg_inherits where inhparent = 'api_key_audit'::regclass order by 1`,
      )
    ).map(({ name }) => name.replace('api_key_audit_', ''));

  it('moves existing rows to their months, and continues their numbering', async () => {
    expect(await months()).toEqual(['2026_01', '2026_02', '2026_04']);
    const rows = await db.rows<{ month: string; id: string; occurrences: number }>(
      'select tableoid::regclass::text as month, id, occurrences from api_key_audit order by id',
    );
    expect(rows).toEqual([
      { month: 'api_key_audit_2026_01', id: '1', occurrences: 1 },
      { month: 'api_key_audit_2026_02', id: '2', occurrences: 1 },
      { month: 'api_key_audit_2026_04', id: '3', occurrences: 1 },
    ]);
    await store.append([entry('2026-04-16T00:00:00.000Z')]);
    expect(await db.rows('select max(id)::int as id from api_key_audit')).toEqual([{ id: 4 }]);
  });

  it('creates a missing month for an entry, even when several replicas do at the same moment', async () => {
    const stores = Array.from({ length: 4 }, () => new AuditLogStore(db));
    await Promise.all(
      stores.map((one) => one.append([entry('2026-05-01T00:00:00.000Z'), entry('2026-06-30T23:59:59.999Z')])),
    );
    expect(await months()).toEqual(expect.arrayContaining(['2026_05', '2026_06']));
    expect(await store.listOfKey(keyId, { limit: 8 })).toHaveLength(8);
  });

  it.each([
    ['2026-02-28T23:59:59.999Z', '2026_02'],
    ['2026-03-01T00:00:00.000Z', '2026_03'],
    ['2028-02-29T23:59:59.999Z', '2028_02'],
    ['2028-03-01T00:00:00.000Z', '2028_03'],
    ['2026-12-31T23:59:59.999Z', '2026_12'],
    ['2027-01-01T00:00:00.000Z', '2027_01'],
  ])('keeps an entry of %s in the month %s, in whatever time zone the session is', async (at, month) => {
    await db.transaction(async (tx) => {
      await tx.rows(`set local time zone 'Pacific/Kiritimati'`);
      await tx.rows('select make_api_key_audit_month($1::date)', [`${at.slice(0, 7)}-01`]);
    });
    await store.append([entry(at, { operationName: at })]);
    const rows = await db.rows('select tableoid::regclass::text as name from api_key_audit where operation_name = $1', [
      at,
    ]);
    expect(rows).toEqual([{ name: `api_key_audit_${month}` }]);
  });

  it('stores entries once that are appended again after a connection broke', async () => {
    const operationName = 'appended again';
    const entries = ['2026-04-21T00:00:00.001Z', '2026-04-21T00:00:00.001Z', '2026-04-22T00:00:00.000Z'].map((at) =>
      entry(at, { operationName }),
    );
    await store.append(entries.slice(0, 2));
    await new AuditLogStore(db).append(entries);
    const rows = await db.rows('select id::text from api_key_audit where operation_name = $1 order by id', [
      operationName,
    ]);
    expect(rows).toEqual(entries.map(({ id }) => ({ id })));
  });

  it('allows no change of a row, in the log or in the table of a month', async () => {
    await store.append([entry('2026-04-20T00:00:00.000Z')]);
    for (const table of ['api_key_audit', 'api_key_audit_2026_04', 'api_key_audit_2026_05']) {
      for (const change of [`update ${table} set ip = null`, `delete from ${table}`, `truncate ${table}`]) {
        await expect(db.rows(change)).rejects.toThrow('append-only');
      }
    }
  });

  it('creates months ahead of time and drops old ones, once', async () => {
    const now = new Date('2026-07-01T00:00:00.000Z');
    await store.append([entry('2026-03-31T23:59:59.999Z'), entry('2026-04-01T00:00:00.000Z')]);
    await store.makeMonths(now);
    expect(await months()).toEqual(expect.arrayContaining(['2026_07', '2026_08']));
    const [dropped, again] = [await store.dropMonths(now, 3), await store.dropMonths(now, 3)];
    expect([dropped, again]).toEqual([['api_key_audit_2026_01', 'api_key_audit_2026_02', 'api_key_audit_2026_03'], []]);
    expect((await months())[0]).toBe('2026_04');
    // A late entry of a dropped month creates the month again; the next pass drops it again.
    await new AuditLogStore(db).append([entry('2026-02-02T00:00:00.000Z')]);
    expect(await store.dropMonths(now, 3)).toEqual(['api_key_audit_2026_02']);
  });

  it('a month that a slow reader holds is dropped by a later pass', async () => {
    await store.append([entry('2025-01-01T00:00:00.000Z')]);
    const now = new Date('2026-07-01T00:00:00.000Z');
    await db.transaction(async (reader) => {
      await reader.rows('select count(*) from api_key_audit');
      await expect(store.dropMonths(now, 3)).rejects.toThrow('lock timeout');
      await store.append([entry('2026-07-01T00:00:00.000Z')]);
    });
    expect(await store.dropMonths(now, 3)).toEqual(['api_key_audit_2025_01']);
  });
});
