import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { freePort, startFakePubSub, type FakePubSub } from '@tradewind/testkit';
import { createRequire } from 'node:module';
import { PubSubQueue } from '../src/queue.pubsub.js';
import { TopologyMismatchError } from '../src/topology.js';
import { ensurePubSubTopology, type PubSubTopology } from '../src/topology.pubsub.js';
import { queueContract } from './contracts/queue.contract.js';
import { readDeadLetters } from './dead-letters.js';

const protos = createRequire(import.meta.url)('@google-cloud/pubsub/build/protos/protos.json') as object;
const projectId = 'fake-project';
const topic = 'batches';

function topology(apiEndpoint: string, pushEndpoint: string): PubSubTopology {
  return {
    projectId,
    apiEndpoint,
    topic,
    subscription: 'batches-push',
    deadLetterTopic: 'dead-letter',
    pushEndpoint,
    pushAudience: 'https://priority-api.example.com',
    pushServiceAccount: 'push@fake-project.iam.gserviceaccount.com',
    maxDeliveryAttempts: 5,
    backoffMsMin: 20,
    backoffMsMax: 80,
    ackDeadlineSeconds: 2,
  };
}

queueContract('PubSubQueue', async (endpointUrl) => {
  const fake = await startFakePubSub({ protos });
  const wanted = topology(fake.endpoint, endpointUrl);
  await ensurePubSubTopology(wanted);
  const options = { projectId, pingTopic: topic, apiEndpoint: fake.endpoint };
  const queue = new PubSubQueue(options);
  const replica = new PubSubQueue(options);
  return {
    queue,
    replica,
    topic,
    subscription: `projects/${projectId}/subscriptions/batches-push`,
    maxDeliveryAttempts: 5,
    ackDeadlineMs: 2_000,
    forgetsRepeats: false,
    countsAttempts: true,
    acknowledging: [200, 201, 202, 204],
    deadLetters: () => readDeadLetters(wanted),
    async close() {
      await Promise.all([queue.onApplicationShutdown(), replica.onApplicationShutdown()]);
      await fake.close();
    },
  };
});

describe('PubSubQueue', () => {
  let fake: FakePubSub;
  const queues: PubSubQueue[] = [];
  const open = (apiEndpoint = fake.endpoint, publishTimeoutMs?: number) => {
    const queue = new PubSubQueue({
      projectId,
      pingTopic: topic,
      apiEndpoint,
      ...(publishTimeoutMs ? { publishTimeoutMs } : {}),
    });
    queues.push(queue);
    return queue;
  };
  const messages = (count: number, prefix: string) =>
    Array.from({ length: count }, (_, index) => ({ data: `${prefix}${index}`, attributes: {} }));
  const published = (prefix: string) =>
    fake
      .published(topic)
      .map(({ data }) => Buffer.from(data, 'base64').toString())
      .filter((data) => data.startsWith(prefix));

  beforeAll(async () => {
    fake = await startFakePubSub({ protos });
    // Without an endpoint nothing is pushed: these tests are about publishing.
    await ensurePubSubTopology(topology(fake.endpoint, ''));
  });
  afterAll(async () => {
    await Promise.all(queues.map((queue) => queue.onApplicationShutdown()));
    await fake.close();
  });

  it('retries transient failures, and keeps the order of ids', async () => {
    for (const code of [14, 8, 13, 4]) fake.faults.failNext('Publish', code);
    const ids = await open().publish(topic, messages(3, 'retried-'));
    expect(ids).toHaveLength(3);
    expect(published('retried-')).toEqual(['retried-0', 'retried-1', 'retried-2']);
  });

  it('publishes again when the answer was lost, so a message may come twice but is never lost', async () => {
    fake.faults.failNext('Publish', 'lost');
    await open().publish(topic, messages(1, 'lost-'));
    expect(published('lost-')).toEqual(['lost-0', 'lost-0']);
  });

  it('rejects when the topic does not exist, and when nobody answers', async () => {
    await expect(open().publish('unknown-topic', messages(1, 'x'))).rejects.toThrow(/NOT_FOUND/);
    const nobody = `127.0.0.1:${await freePort()}`;
    await expect(open(nobody, 1_500).publish(topic, messages(1, 'x'))).rejects.toThrow();
    await expect(open(nobody).ping()).rejects.toThrow();
  }, 20_000);

  it('sends many messages in a few requests', async () => {
    let requests = 0;
    const take = fake.faults.take.bind(fake.faults);
    fake.faults.take = (method) => {
      if (method === 'Publish') requests += 1;
      return take(method);
    };
    await open().publish(topic, messages(1_000, 'batched-'));
    fake.faults.take = take;
    expect(published('batched-')).toHaveLength(1_000);
    expect(requests).toBeLessThanOrEqual(12);
  });

  it('loses nothing at a shutdown, and accepts nothing afterwards', async () => {
    const queue = open();
    fake.publishDelayMs = 200;
    const publishing = Array.from({ length: 20 }, (_, index) =>
      queue.publish(topic, messages(50, `shutdown-${index}-`)),
    );
    const shutdown = queue.onApplicationShutdown();
    await expect(queue.publish(topic, messages(1, 'late-'))).rejects.toThrow('the queue is closed');
    await shutdown;
    fake.publishDelayMs = 0;
    const ids = (await Promise.all(publishing)).flat();
    expect(new Set(ids).size).toBe(1_000);
    // The client may have sent a request twice; nothing is missing.
    expect(new Set(published('shutdown-')).size).toBe(1_000);
    expect(published('late-')).toEqual([]);
  });
});

describe('ensurePubSubTopology', () => {
  let fake: FakePubSub;
  beforeAll(async () => {
    fake = await startFakePubSub({ protos });
  });
  afterAll(async () => {
    await fake.close();
  });

  it('creates what is missing once, even when several processes try at the same time', async () => {
    const wanted = topology(fake.endpoint, 'https://priority-api.example.com/batch-trigger/');
    const runs = await Promise.all([1, 2, 3].map(() => ensurePubSubTopology(wanted)));
    const created = runs.flat().filter(({ outcome }) => outcome === 'created');
    expect(created.map(({ resource }) => resource).sort()).toEqual([
      'subscription batches-push',
      'subscription dead-letter',
      'topic batches',
      'topic dead-letter',
    ]);
    expect((await ensurePubSubTopology(wanted)).map(({ outcome }) => outcome)).toEqual(Array(4).fill('matches'));
  });

  it('refuses what differs from the settings, and names every difference', async () => {
    const wanted = {
      ...topology(fake.endpoint, 'https://elsewhere.example.com/'),
      pushAudience: 'https://elsewhere.example.com',
      backoffMsMin: 10_000,
      maxDeliveryAttempts: 7,
    };
    const refusal = await ensurePubSubTopology(wanted).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(TopologyMismatchError);
    expect((refusal as TopologyMismatchError).mismatches).toEqual([
      'subscription batches-push: push endpoint is https://priority-api.example.com/batch-trigger/, the settings say https://elsewhere.example.com/',
      'subscription batches-push: push audience is https://priority-api.example.com, the settings say https://elsewhere.example.com',
      'subscription batches-push: shortest backoff, seconds is 0.02, the settings say 10',
      'subscription batches-push: delivery attempts is 5, the settings say 7',
    ]);
    // Nothing was changed.
    await ensurePubSubTopology(topology(fake.endpoint, 'https://priority-api.example.com/batch-trigger/'));
  });
});
