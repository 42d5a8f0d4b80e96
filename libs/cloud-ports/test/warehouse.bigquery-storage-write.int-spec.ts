import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  createTestDatabase,
  startFakeBigQuery,
  startFakeStorageWrite,
  type FakeStorageWrite,
} from '@tradewind/testkit';
import { randomUUID } from 'node:crypto';
import { createRequire } from 'node:module';
import { StorageWriteAppender } from '../src/bigquery-storage-write.js';
import { BigQueryWarehouse } from '../src/warehouse.bigquery.js';
import { post, rowId, warehouseContract } from './contracts/warehouse.contract.js';

const protos = createRequire(import.meta.url)('@google-cloud/bigquery-storage/build/protos/protos.json') as object;
const names = { projectId: 'fake-project', dataset: 'tradewind' };

async function openPlatform() {
  const database = await createTestDatabase();
  const bigquery = await startFakeBigQuery({ databaseUrl: database.url });
  const storage = await startFakeStorageWrite({ bigquery, protos });
  const open = () =>
    new BigQueryWarehouse(
      { ...names, location: 'EU', apiEndpoint: bigquery.url },
      () => new StorageWriteAppender({ ...names, apiEndpoint: storage.endpoint }),
    );
  const warehouse = open();
  const replica = open();
  await warehouse.migrate();
  return {
    warehouse,
    replica,
    bigquery,
    storage,
    async close() {
      await Promise.all([warehouse.onApplicationShutdown(), replica.onApplicationShutdown()]);
      storage.close();
      await bigquery.close();
      await database.drop();
    },
  };
}

warehouseContract('BigQueryWarehouse with the Storage Write API', openPlatform);

describe('BigQueryWarehouse with the Storage Write API', () => {
  let platform: Awaited<ReturnType<typeof openPlatform>>;
  let warehouse: BigQueryWarehouse;
  let storage: FakeStorageWrite;
  beforeAll(async () => {
    platform = await openPlatform();
    ({ warehouse, storage } = platform);
  });
  afterAll(async () => {
    await platform.close();
  });
  const run = () => `run-${randomUUID()}`;
  const posts = (provider_run_id: string, count: number, text = '') =>
    Array.from({ length: count }, (_, index) =>
      post({ row_id: rowId(provider_run_id, String(index)), provider_run_id, raw: { text } }),
    );

  it.each<[string, string, number | 'lost']>([
    ['opening the stream fails', 'CreateWriteStream', 14],
    ['writing fails', 'AppendRows', 14],
    ['there are too many requests', 'AppendRows', 8],
    ['the answer to a write is lost', 'AppendRows', 'lost'],
    ['finalizing fails', 'FinalizeWriteStream', 14],
    ['the answer to finalizing is lost', 'FinalizeWriteStream', 'lost'],
    ['committing fails', 'BatchCommitWriteStreams', 14],
    ['the answer to the commit is lost', 'BatchCommitWriteStreams', 'lost'],
  ])('stores each row exactly once when %s', async (_what, method, fault) => {
    const id = run();
    storage.faults.failNext(method, fault);
    expect(await warehouse.append('network_posts', posts(id, 20))).toEqual({ appended: 20, rejected: [] });
    expect(await warehouse.countOfRun('network_posts', id)).toBe(20);
    // The table itself, and not only the view, has each row once.
    expect(await storedRows(id)).toBe(20);
  });

  it('shows no row of an append that fails in the middle', async () => {
    const id = run();
    storage.faults.failNext('BatchCommitWriteStreams', 7);
    await expect(warehouse.append('network_posts', posts(id, 5))).rejects.toThrow();
    expect(await warehouse.countOfRun('network_posts', id)).toBe(0);
    await warehouse.append('network_posts', posts(id, 5));
    expect(await storedRows(id)).toBe(5);
  });

  it('splits what one request cannot hold, and commits all of it together', async () => {
    const id = run();
    const before = { ...storage.calls };
    await warehouse.append('network_posts', posts(id, 12, 'x'.repeat(2_000_000)));
    expect(storage.calls['AppendRows']! - before['AppendRows']!).toBe(3);
    expect(storage.calls['BatchCommitWriteStreams']! - before['BatchCommitWriteStreams']!).toBe(1);
    expect(await storedRows(id)).toBe(12);
  }, 60_000);

  it('writes the good rows when BigQuery refuses some, and names those with the reason', async () => {
    const id = run();
    const table = platform.bigquery.fields('tradewind', 'network_posts')!;
    const url = table.find(({ name }) => name === 'url')!;
    url.mode = 'REQUIRED';
    const [good, bad, alsoGood] = posts(id, 3);
    const result = await warehouse.append('network_posts', [good!, { ...bad!, url: null }, alsoGood!]);
    url.mode = 'NULLABLE';
    expect(result).toEqual({ appended: 2, rejected: [{ row_id: bad!.row_id, reason: 'Missing required field: url' }] });
    expect(await storedRows(id)).toBe(2);
  });

  it('rejects when the table does not exist, after a limited number of tries', async () => {
    const elsewhere = new BigQueryWarehouse(
      { ...names, location: 'EU', apiEndpoint: platform.bigquery.url },
      () => new StorageWriteAppender({ ...names, dataset: 'unknown', apiEndpoint: storage.endpoint }),
    );
    await expect(elsewhere.append('network_posts', posts(run(), 1))).rejects.toThrow('Table not found');
    await elsewhere.onApplicationShutdown();
  });

  async function storedRows(provider_run_id: string): Promise<number> {
    return platform.bigquery.count('tradewind', 'network_posts', { provider_run_id });
  }
});
