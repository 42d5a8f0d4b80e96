import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestDatabase, startFakeBigQuery, type FakeBigQuery, type TestDatabase } from '@tradewind/testkit';
import { randomUUID } from 'node:crypto';
import { InsertAllAppender } from '../src/bigquery-insert-all.js';
import { BigQueryWarehouse } from '../src/warehouse.bigquery.js';
import { post, profileCall, rowId, warehouseContract } from './contracts/warehouse.contract.js';

const open = (apiEndpoint: string) =>
  new BigQueryWarehouse(
    { projectId: 'fake-project', dataset: 'tradewind', location: 'EU', apiEndpoint },
    (bigquery) => new InsertAllAppender(bigquery, 'tradewind'),
  );

warehouseContract('BigQueryWarehouse with insertAll', async () => {
  const database = await createTestDatabase();
  const fake = await startFakeBigQuery({ databaseUrl: database.url });
  const warehouse = open(fake.url);
  await warehouse.migrate();
  return {
    warehouse,
    replica: open(fake.url),
    async close() {
      await fake.close();
      await database.drop();
    },
  };
});

describe('BigQueryWarehouse with insertAll', () => {
  let database: TestDatabase;
  let fake: FakeBigQuery;
  let warehouse: BigQueryWarehouse;
  beforeAll(async () => {
    database = await createTestDatabase();
    fake = await startFakeBigQuery({ databaseUrl: database.url });
    warehouse = open(fake.url);
    await warehouse.migrate();
  });
  afterAll(async () => {
    await fake.close();
    await database.drop();
  });
  const run = () => `run-${randomUUID()}`;
  const posts = (provider_run_id: string, count: number) =>
    Array.from({ length: count }, (_, index) =>
      post({ row_id: rowId(provider_run_id, String(index)), provider_run_id }),
    );
  const insertRequests = () => fake.requests.filter(({ method }) => method === 'insertAll');

  it('shows a row once, even after BigQuery has forgotten its insertId', async () => {
    const id = run();
    await warehouse.append('network_posts', posts(id, 10));
    fake.forgetInsertIds();
    await warehouse.append('network_posts', posts(id, 12));
    expect(await warehouse.countOfRun('network_posts', id)).toBe(12);
  });

  it.each([429, 503])(
    'tries again after HTTP %i',
    async (status) => {
      const id = run();
      fake.faults.failNext('insertAll', status);
      fake.faults.failNext('query', status);
      expect((await warehouse.append('network_posts', posts(id, 3))).appended).toBe(3);
      expect(await warehouse.countOfRun('network_posts', id)).toBe(3);
    },
    30_000,
  );

  it('stores rows once that it sends again because the answer was lost', async () => {
    const id = run();
    fake.faults.failNext('insertAll', 'lost');
    await warehouse.append('network_posts', posts(id, 5)).catch(() => warehouse.append('network_posts', posts(id, 5)));
    expect(await warehouse.countOfRun('network_posts', id)).toBe(5);
  }, 30_000);

  it('sends rows again that were stopped because of others or a timeout', async () => {
    const id = run();
    fake.faults.failNext('insertAll', 'stopped');
    fake.faults.failNext('insertAll', 'timeout');
    expect(await warehouse.append('network_posts', posts(id, 7))).toEqual({ appended: 7, rejected: [] });
    expect(await warehouse.countOfRun('network_posts', id)).toBe(7);
    fake.faults.failNext('insertAll', 'stopped', 4);
    await expect(warehouse.append('network_posts', posts(run(), 2))).rejects.toThrow('again and again');
  });

  it('reports the rows that BigQuery refuses, and stores the others', async () => {
    // An older process meets a table with a column that it does not know.
    const table = fake.fields('tradewind', 'network_post_reactions')!;
    table.push({ name: 'weight', type: 'INTEGER', mode: 'REQUIRED' });
    const { provider_run_id, user_company_id, network_username, entity_type, ingested_at, raw, row_id } = post();
    const shared = { row_id, provider_run_id, user_company_id, network_username, entity_type, ingested_at, raw };
    const reaction = { ...shared, reaction_id: 'r', post_id: null, reaction_type: 'LIKE', actor_id: null, actor_name: null, actor_url: null, actor_position: null }; // prettier-ignore
    expect(await warehouse.append('network_post_reactions', [reaction])).toEqual({
      appended: 0,
      rejected: [{ row_id, reason: 'Missing required field: weight.' }],
    });
    table.pop();
  });

  it('keeps every request within 500 rows and 9 MB, and refuses a row that no request can hold', async () => {
    const id = run();
    const before = insertRequests().length;
    await warehouse.append('network_posts', posts(id, 1_200));
    expect(
      insertRequests()
        .slice(before)
        .map(({ rows }) => rows)
        .sort(),
    ).toEqual([200, 500, 500]);
    const big = posts(run(), 5).map((row) => ({ ...row, raw: { text: 'x'.repeat(4_000_000) } }));
    const huge = { ...post(), raw: { text: 'x'.repeat(9_500_000) } };
    const result = await warehouse.append('network_posts', [...big, huge]);
    expect(result.appended).toBe(5);
    expect(result.rejected).toEqual([
      { row_id: huge.row_id, reason: expect.stringContaining('more than a request takes') },
    ]);
    expect(Math.max(...insertRequests().map(({ sizeBytes }) => sizeBytes))).toBeLessThan(9_500_000);
  }, 30_000);

  it('gives up when BigQuery keeps failing, with the reason', async () => {
    fake.faults.failNext('insertAll', 403);
    await expect(warehouse.append('network_posts', posts(run(), 1))).rejects.toThrow('ordered failure');
  });

  it('adds columns that are missing, and refuses a column of another type', async () => {
    const fields = fake.fields('tradewind', 'person_fields')!;
    const [removed] = fields.splice(2, 1);
    await warehouse.migrate();
    expect(fake.fields('tradewind', 'person_fields')).toContainEqual({ ...removed, mode: 'NULLABLE' });
    fake.fields('tradewind', 'person_fields')![0]!.type = 'INTEGER';
    await expect(warehouse.migrate()).rejects.toThrow('column person_fields.row_id is INTEGER, the code needs STRING');
    fake.fields('tradewind', 'person_fields')![0]!.type = 'STRING';
  });

  it('shows analysts each row once, and the latest call of each profile, in views', async () => {
    const requestResource = `person-${randomUUID()}`;
    const older = profileCall({ requestResource, requestDate: new Date('2026-10-01T00:00:00Z') });
    const newer = profileCall({ requestResource, requestDate: new Date('2026-11-01T00:00:00Z') });
    for (let times = 0; times < 2; times += 1) {
      await warehouse.append('scraped_profile_calls', [newer, older]);
      fake.forgetInsertIds();
    }
    const { default: pg } = await import('pg');
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    const idsIn = async (view: string) =>
      (
        await client.query<{ row_id: string }>(`select row_id from tradewind.${view} where "requestResource" = $1`, [
          requestResource,
        ])
      ).rows // prettier-ignore
        .map(({ row_id }) => row_id)
        .sort();
    expect(await idsIn('scraped_profile_calls')).toHaveLength(4);
    expect(await idsIn('scraped_profile_calls_distinct')).toEqual([older.row_id, newer.row_id].sort());
    expect(await idsIn('scraped_profile_calls_latest')).toEqual([newer.row_id]);
    await client.end();
  });

  it('rejects ping while BigQuery cannot be reached', async () => {
    await expect(warehouse.ping()).resolves.toBeUndefined();
    fake.faults.failNext('metadata', 403);
    await expect(warehouse.ping()).rejects.toThrow();
  });
});
