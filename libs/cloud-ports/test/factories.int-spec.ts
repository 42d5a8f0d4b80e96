import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { profileBatchTopic } from '@tradewind/shared-types';
import { createTestDatabase, startFakePubSub, type TestDatabase } from '@tradewind/testkit';
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as ports from '../src/index.js';
import { openPushEndpoint } from './push-endpoint.js';

describe('the factories', () => {
  let database: TestDatabase;
  let folder: string;
  beforeAll(async () => {
    database = await createTestDatabase();
    folder = await mkdtemp(join(tmpdir(), 'tradewind-factories-'));
  });
  afterAll(async () => {
    await database.drop();
    await rm(folder, { recursive: true });
  });

  const queueSettings = (changes: Partial<ports.QueueSettings> = {}): ports.QueueSettings => ({
    CLOUD: 'embedded',
    QUEUE_DATABASE_URL: database.url,
    QUEUE_PUSH_TOKEN: 'new-token, old-token',
    QUEUE_SUBSCRIPTION: 'batches-push',
    QUEUE_DEAD_LETTER_TOPIC: 'dead-letter',
    QUEUE_MAX_DELIVERY_ATTEMPTS: 5,
    QUEUE_BACKOFF_MS_MIN: 10,
    QUEUE_BACKOFF_MS_MAX: 100,
    QUEUE_ACK_DEADLINE_SECONDS: 10,
    QUEUE_PUSH_CONCURRENCY: 4,
    ...changes,
  });

  it('deliver a batch from the queue to an endpoint that knows the token', async () => {
    const endpoint = await openPushEndpoint();
    const settings = queueSettings({ PUSH_ENDPOINT: endpoint.url });
    expect((await ports.ensureTopology(settings)).map(({ outcome }) => outcome)).toEqual(['created', 'created']);
    expect((await ports.ensureTopology(settings)).map(({ outcome }) => outcome)).toEqual(['matches', 'matches']);
    const queue = await ports.createQueue(settings);
    const authenticator = await ports.createPushAuthenticator({
      CLOUD: 'embedded',
      QUEUE_PUSH_TOKEN: 'old-token,new-token',
    });
    const dispatcher = await ports.createPushDispatcher(settings, profileBatchTopic);
    dispatcher!.start();
    await queue.publish(profileBatchTopic, [{ data: 'batch', attributes: {} }]);
    const [push] = await endpoint.waitFor('batch', 1);
    expect(push!.envelope.subscription).toBe('projects/embedded/subscriptions/batches-push');
    expect(await authenticator.verify(push!.headers.authorization)).toBe('accepted');
    await dispatcher!.stop();
    await queue.onApplicationShutdown();
    await endpoint.close();
  });

  it('return no dispatcher where Pub/Sub pushes, and none without an endpoint', async () => {
    expect(await ports.createPushDispatcher(queueSettings(), profileBatchTopic)).toBeUndefined();
    const google = queueSettings({ CLOUD: 'google', PUSH_ENDPOINT: 'https://example.com/' });
    expect(await ports.createPushDispatcher(google, profileBatchTopic)).toBeUndefined();
  });

  it('ensure the topology of Pub/Sub, and refuse one that differs', async () => {
    const protos = createRequire(import.meta.url)('@google-cloud/pubsub/build/protos/protos.json') as object;
    const fake = await startFakePubSub({ protos });
    const settings = queueSettings({
      CLOUD: 'google',
      GOOGLE_CLOUD_PROJECT: 'project',
      PUSH_ENDPOINT: 'https://priority-api.example.com/batch-trigger/',
      PUSH_SERVICE_ACCOUNT: 'push@project.iam.gserviceaccount.com',
      PUBSUB_API_ENDPOINT: fake.endpoint,
    });
    expect(await ports.ensureTopology(settings)).toHaveLength(4);
    const queue = await ports.createQueue(settings);
    await expect(queue.ping()).resolves.toBeUndefined();
    await queue.onApplicationShutdown();
    await expect(
      ports.ensureTopology({ ...settings, PUSH_ENDPOINT: 'https://elsewhere.example.com/' }),
    ).rejects.toThrow(ports.TopologyMismatchError);
    await expect(ports.ensureTopology({ ...settings, PUSH_ENDPOINT: undefined })).rejects.toThrow(
      'PUSH_ENDPOINT is not set',
    );
    await fake.close();
  });

  it('open the embedded warehouse and object store', async () => {
    const warehouse = await ports.createWarehouse({
      CLOUD: 'embedded',
      WAREHOUSE_DATABASE_URL: database.url,
      WAREHOUSE_POOL_SIZE: 2,
      BIGQUERY_DATASET: '',
      BIGQUERY_LOCATION: '',
      BIGQUERY_WRITE: 'insert_all',
    });
    await warehouse.migrate();
    expect(await warehouse.countOfRun('network_posts', 'none')).toBe(0);
    await warehouse.onApplicationShutdown();
    const store = await ports.createObjectStore({ CLOUD: 'embedded', OBJECT_STORE_DIR: folder });
    expect(await store.create('bucket', 'name', 'body', 'text/plain')).toBe('created');
  });

  it('name a missing setting', async () => {
    await expect(ports.createObjectStore({ CLOUD: 'embedded' })).rejects.toThrow('OBJECT_STORE_DIR is not set');
    await expect(ports.createPushAuthenticator({ CLOUD: 'google' })).rejects.toThrow('PUSH_AUDIENCE is not set');
    await expect(ports.createQueue({ ...queueSettings(), QUEUE_DATABASE_URL: '' })).rejects.toThrow(
      'QUEUE_DATABASE_URL is not set, and CLOUD=embedded needs it',
    );
  });

  it('load no Google package and no queue for an embedded warehouse', async () => {
    const program = `
      import { registerHooks } from 'node:module';
      const loaded = [];
      registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) });
      const { createObjectStore, createWarehouse } = await import(process.argv[1]);
      const warehouse = await createWarehouse({ CLOUD: 'embedded', WAREHOUSE_DATABASE_URL: 'postgres://x', WAREHOUSE_POOL_SIZE: 1 });
      await createObjectStore({ CLOUD: 'embedded', OBJECT_STORE_DIR: '/tmp/x' });
      await warehouse.onApplicationShutdown();
      console.log(JSON.stringify(loaded));`;
    const { stdout } = await promisify(execFile)(process.execPath, [
      '--input-type=module',
      '-e',
      program,
      new URL('../dist/index.js', import.meta.url).href,
    ]);
    const loaded = JSON.parse(stdout) as string[];
    expect(loaded.some((url) => url.includes('/node_modules/pg/'))).toBe(true);
    expect(loaded.filter((url) => /@google-cloud|google-auth|google-gax|pg-boss|grpc/.test(url))).toEqual([]);
  });
});
