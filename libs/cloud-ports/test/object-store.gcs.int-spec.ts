import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { freePort, startFakeCloudStorage, type FakeCloudStorage } from '@tradewind/testkit';
import { GcsObjectStore } from '../src/object-store.gcs.js';
import { objectStoreContract } from './contracts/object-store.contract.js';

const bucket = 'backup-bucket';
const open = (apiEndpoint: string) => new GcsObjectStore({ projectId: 'fake-project', apiEndpoint });

objectStoreContract('GcsObjectStore', async () => {
  const fake = await startFakeCloudStorage();
  fake.createBucket(bucket);
  return {
    store: open(fake.url),
    replica: open(fake.url),
    open: () => open(fake.url),
    forbidWriting: () => fake.denyCreating(bucket),
    bucket,
    close: () => fake.close(),
  };
});

describe('GcsObjectStore', () => {
  let fake: FakeCloudStorage;
  let store: GcsObjectStore;
  beforeAll(async () => {
    fake = await startFakeCloudStorage();
    fake.createBucket(bucket);
    store = open(fake.url);
  });
  afterAll(async () => {
    await fake.close();
  });
  let number = 0;
  const unusedName = () => `object-${++number}.json`;

  it('stores the content type', async () => {
    const name = unusedName();
    await store.create(bucket, name, '{}', 'application/json');
    expect(fake.objects(bucket).get(name)?.contentType).toBe('application/json');
  });

  it.each([429, 503])(
    'tries again after HTTP %i',
    async (status) => {
      const name = unusedName();
      fake.faults.failNext('upload', status);
      expect(await store.create(bucket, name, 'body', 'text/plain')).toBe('created');
      fake.faults.failNext('download', status);
      expect(await store.read(bucket, name)).toBe('body');
    },
    30_000,
  );

  it('returns exists when the answer to its create was lost', async () => {
    const name = unusedName();
    fake.faults.failNext('upload', 'lost');
    expect(await store.create(bucket, name, 'body', 'text/plain')).toBe('exists');
    expect(await store.read(bucket, name)).toBe('body');
  }, 30_000);

  it.each([
    { kind: 'in one request', body: 'body', requests: 1 },
    // Its first request carries no bytes.
    { kind: 'resumable', body: 'x'.repeat(6_000_000), requests: 2 },
  ])(
    'stores nothing of a damaged upload, and has nothing to delete: $kind',
    async ({ body, requests }) => {
      const name = unusedName();
      fake.faults.failNext('upload', 'damaged', requests);
      await expect(store.create(bucket, name, body, 'text/plain')).rejects.toMatchObject({
        code: 400,
        message: expect.stringContaining('CRC32C') as unknown,
      });
      expect(fake.objects(bucket).has(name)).toBe(false);
      expect(fake.requests.delete).toBe(0);
      expect(await store.create(bucket, name, body, 'text/plain')).toBe('created');
    },
    30_000,
  );

  it('refuses a damaged download', async () => {
    const name = unusedName();
    await store.create(bucket, name, 'body', 'text/plain');
    const downloads = fake.requests.download;
    fake.faults.failNext('download', 'damaged');
    // The next try gets it whole.
    expect(await store.read(bucket, name)).toBe('body');
    expect(fake.requests.download).toBeGreaterThan(downloads + 1);
  }, 30_000);

  it('lists page by page', async () => {
    const names = Array.from({ length: 1_500 }, (_, index) => `paged-${String(index).padStart(5, '0')}`);
    for (const name of names) fake.put(bucket, name, 'x');
    const before = fake.requests.list;
    const listed: string[] = [];
    for await (const name of store.list(bucket, 'paged-')) listed.push(name);
    expect(listed).toEqual(names);
    expect(fake.requests.list - before).toBe(2);
  }, 60_000);

  it('probes a bucket once every few seconds, however often it is asked, and writes nothing', async () => {
    const { permissions, upload } = fake.requests;
    const asked = open(fake.url);
    for (let time = 0; time < 20; time++) await asked.assertWritable(bucket);
    expect(fake.requests).toMatchObject({ permissions: permissions + 1, upload });
  });

  it('accepts a bucket that can be listed, at an emulator without permissions', async () => {
    fake.faults.failNext('permissions', 404, 2);
    await expect(open(fake.url).assertWritable(bucket)).resolves.toBeUndefined();
    await expect(open(fake.url).assertWritable('other-bucket')).rejects.toThrow();
  });

  it('rejects when the bucket does not exist, access is denied or nobody answers', async () => {
    await expect(store.create('other-bucket', 'name', 'x', 'text/plain')).rejects.toThrow();
    fake.faults.failNext('upload', 403);
    await expect(store.create(bucket, unusedName(), 'x', 'text/plain')).rejects.toThrow('ordered failure');
    await expect(store.assertWritable('other-bucket')).rejects.toThrow();
    await expect(open(`http://127.0.0.1:${await freePort()}`).assertWritable(bucket)).rejects.toThrow();
  }, 60_000);
});
