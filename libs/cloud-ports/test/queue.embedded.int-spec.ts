import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestDatabase, freePort, type TestDatabase } from '@tradewind/testkit';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import {
  EmbeddedPushDispatcher,
  type EmbeddedPushDispatcherOptions,
  type PushDispatchEvent,
} from '../src/push-dispatcher.embedded.js';
import { EmbeddedQueue } from '../src/queue.embedded.js';
import { queueContract } from './contracts/queue.contract.js';
import { eventually, openPushEndpoint, type PushEndpoint } from './push-endpoint.js';

const deadLetterTopic = 'dead-letter';
const subscription = 'projects/embedded/subscriptions/batches-push';

function dispatcherOptions(databaseUrl: string, topic: string, endpoint: string): EmbeddedPushDispatcherOptions {
  return {
    databaseUrl,
    topic,
    subscription,
    endpoint,
    token: 'push-token',
    deadLetterTopic,
    maxDeliveryAttempts: 5,
    ackDeadlineMs: 1_500,
    backoffMsMin: 20,
    backoffMsMax: 80,
    concurrency: 8,
    pollIntervalMs: 25,
  };
}

queueContract('EmbeddedQueue', async (endpointUrl) => {
  const database = await createTestDatabase();
  const options = { databaseUrl: database.url, deadLetterTopic, maxDeliveryAttempts: 5 };
  const queue = new EmbeddedQueue(options);
  const replica = new EmbeddedQueue(options);
  const dispatchers = [1, 2].map(
    () => new EmbeddedPushDispatcher(dispatcherOptions(database.url, 'batches', endpointUrl)),
  );
  for (const dispatcher of dispatchers) dispatcher.start();
  const dead = await openPushEndpoint();
  const deadDispatcher = new EmbeddedPushDispatcher(dispatcherOptions(database.url, deadLetterTopic, dead.url));
  deadDispatcher.start();
  return {
    queue,
    replica,
    topic: 'batches',
    subscription,
    maxDeliveryAttempts: 5,
    ackDeadlineMs: 1_500,
    forgetsRepeats: true,
    countsAttempts: true,
    acknowledging: [200, 201, 202, 204],
    async deadLetters() {
      return dead.pushes.map(({ data, envelope }) => ({ data, attributes: envelope.message.attributes }));
    },
    async close() {
      await Promise.all([...dispatchers, deadDispatcher].map((dispatcher) => dispatcher.stop()));
      await Promise.all([queue.onApplicationShutdown(), replica.onApplicationShutdown(), dead.close()]);
      await database.drop();
    },
  };
});

describe('EmbeddedPushDispatcher', () => {
  let database: TestDatabase;
  let queue: EmbeddedQueue;
  let endpoint: PushEndpoint;
  let topicNumber = 0;
  beforeAll(async () => {
    database = await createTestDatabase();
    queue = new EmbeddedQueue({ databaseUrl: database.url, deadLetterTopic, maxDeliveryAttempts: 5 });
  });
  afterAll(async () => {
    await queue.onApplicationShutdown();
    await database.drop();
  });

  async function withTopic(
    test: (
      topic: string,
      open: (changes?: Partial<EmbeddedPushDispatcherOptions>) => EmbeddedPushDispatcher,
    ) => Promise<void>,
  ) {
    endpoint = await openPushEndpoint();
    const topic = `topic-${++topicNumber}`;
    const dispatchers: EmbeddedPushDispatcher[] = [];
    try {
      await test(topic, (changes) => {
        const dispatcher = new EmbeddedPushDispatcher({
          ...dispatcherOptions(database.url, topic, endpoint.url),
          ...changes,
        });
        dispatchers.push(dispatcher);
        dispatcher.start();
        return dispatcher;
      });
    } finally {
      await Promise.all(dispatchers.map((dispatcher) => dispatcher.stop(0)));
      await endpoint.close();
    }
  }
  const publish = (topic: string, count: number, attributes: Record<string, string> = {}) =>
    queue.publish(
      topic,
      Array.from({ length: count }, (_, index) => ({ data: `m${index}`, attributes })),
    );

  it('sends its token, and the trace context of the message as headers', async () => {
    await withTopic(async (topic, open) => {
      open();
      const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
      await publish(topic, 1, { traceparent });
      const [push] = await endpoint.waitFor('m', 1);
      expect(push!.headers).toMatchObject({ authorization: 'Bearer push-token', traceparent });
      expect(push!.envelope.message.attributes).toEqual({ traceparent });
    });
  });

  it('sends a message as the same bytes as Pub/Sub', async () => {
    await withTopic(async (topic, open) => {
      open();
      const [id] = await publish(topic, 1, { batch_number: '0', total_batches: '1000' });
      const [push] = await endpoint.waitFor('m', 1);
      const time = push!.envelope.message.publishTime;
      expect(push!.text).toBe(
        `{"deliveryAttempt":1,"subscription":"${subscription}","message":{"publishTime":"${time}","data":"bTA=","publish_time":"${time}","messageId":"${id}","attributes":{"batch_number":"0","total_batches":"1000"},"message_id":"${id}"}}`,
      );
    });
  });

  it('keeps to the limit of parallel deliveries, and a slow one does not delay the others', async () => {
    await withTopic(async (topic, open) => {
      let release = () => undefined as void;
      const released = new Promise<void>((resolve) => (release = resolve));
      endpoint.answer = async (push) => {
        if (push.data === 'm0') await released;
        return 200;
      };
      open({ concurrency: 3, ackDeadlineMs: 20_000 });
      await publish(topic, 60);
      await endpoint.waitFor('m', 60);
      release();
      expect(endpoint.concurrencyMax).toBeLessThanOrEqual(3);
    });
  });

  it('shares a topic with other dispatchers without delivering anything twice', async () => {
    await withTopic(async (topic, open) => {
      await publish(topic, 200);
      for (let index = 0; index < 3; index += 1) open();
      const pushes = await endpoint.waitFor('m', 200);
      await delay(200);
      expect(new Set(pushes.map((push) => push.data)).size).toBe(200);
      expect(endpoint.pushes).toHaveLength(200);
    });
  });

  it('finishes its deliveries when it is stopped, and begins none', async () => {
    await withTopic(async (topic, open) => {
      endpoint.answer = async () => {
        await delay(300);
        return 200;
      };
      const events: PushDispatchEvent[] = [];
      const dispatcher = open({ concurrency: 2, ackDeadlineMs: 10_000, onEvent: (event) => events.push(event) });
      await publish(topic, 10);
      await endpoint.waitFor('m', 2);
      await dispatcher.stop(5_000);
      expect(events.filter((event) => event.kind === 'delivered')).toHaveLength(endpoint.pushes.length);
      expect(endpoint.pushes.length).toBeLessThan(10);
      open();
      await eventually(
        () => new Set(endpoint.pushes.map((push) => push.data)).size === 10,
        10_000,
        () => 'the rest did not come',
      );
      expect(endpoint.pushes).toHaveLength(10);
    });
  });

  it('aborts a delivery that outlasts the grace period, and its successor delivers it at once', async () => {
    await withTopic(async (topic, open) => {
      endpoint.answer = (_push, earlier) => (earlier === 0 ? 'hang' : 200);
      const dispatcher = open({ ackDeadlineMs: 60_000, backoffMsMin: 60_000, backoffMsMax: 60_000 });
      await publish(topic, 1);
      await endpoint.waitFor('m', 1);
      await dispatcher.stop(50);
      open();
      const [, second] = await endpoint.waitFor('m', 2, 5_000);
      expect(second!.envelope.deliveryAttempt).toBe(2);
    });
  });

  it('continues after it lost its database connections', async () => {
    await withTopic(async (topic, open) => {
      open();
      await publish(topic, 1);
      await endpoint.waitFor('m', 1);
      const admin = new pg.Client({ connectionString: database.url });
      await admin.connect();
      await admin.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where datname = current_database() and pid <> pg_backend_pid()`,
      );
      await admin.end();
      await eventually(
        () =>
          publish(topic, 30).then(
            () => true,
            () => false,
          ),
        10_000,
        () => 'publishing still fails',
      );
      await endpoint.waitFor('m', 31);
    });
  });

  it('starts before its database can be reached, and reports that', async () => {
    const events: PushDispatchEvent[] = [];
    const dispatcher = new EmbeddedPushDispatcher({
      ...dispatcherOptions(`postgres://nobody@127.0.0.1:${await freePort()}/none`, 'any', 'http://127.0.0.1:9/'),
      onEvent: (event) => events.push(event),
    });
    dispatcher.start();
    await eventually(
      () => events.length >= 2,
      10_000,
      () => 'no event came',
    );
    expect(events[0]).toMatchObject({ kind: 'queue_error', topic: 'any' });
    await dispatcher.stop();
    const unreachable = new EmbeddedQueue({
      databaseUrl: `postgres://nobody@127.0.0.1:${await freePort()}/none`,
      deadLetterTopic,
      maxDeliveryAttempts: 5,
    });
    await expect(unreachable.ping()).rejects.toThrow();
    await expect(unreachable.publish('any', [{ data: 'x', attributes: {} }])).rejects.toThrow();
    await unreachable.onApplicationShutdown();
  });

  it('loses nothing when its process is killed during deliveries', async () => {
    await withTopic(async (topic, open) => {
      let isFirstProcess = true;
      endpoint.answer = async () => {
        if (isFirstProcess && endpoint.pushes.length > 10) return 'hang';
        return 200;
      };
      const ids = await publish(topic, 40);
      const options = { ...dispatcherOptions(database.url, topic, endpoint.url), ackDeadlineMs: 120_000 };
      const child = spawn(
        process.execPath,
        [
          '--input-type=module',
          '-e',
          `import { EmbeddedPushDispatcher } from ${JSON.stringify(new URL('../dist/push-dispatcher.embedded.js', import.meta.url).href)};
           new EmbeddedPushDispatcher(JSON.parse(process.argv[1])).start();`,
          JSON.stringify(options),
        ],
        { stdio: ['ignore', 'inherit', 'inherit'] },
      );
      await endpoint.waitFor('m', 18);
      child.kill('SIGKILL');
      await once(child, 'exit');
      const killedMs = Date.now();
      isFirstProcess = false;
      const events: PushDispatchEvent[] = [];
      open({ onEvent: (event) => events.push(event) });
      await eventually(
        () => new Set(events.flatMap((event) => (event.kind === 'delivered' ? [event.messageId] : []))).size >= 29,
        25_000,
        () => `${events.filter((event) => event.kind === 'delivered').length} deliveries after the kill`,
      );
      expect(new Set(endpoint.pushes.map((push) => push.envelope.message.messageId))).toEqual(new Set(ids));
      expect(Date.now() - killedMs).toBeLessThan(18_000);
    });
  }, 60_000);
});
