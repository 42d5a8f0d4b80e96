// The promises of Queue together with its push delivery, for every implementation.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import type { Queue, QueueMessage } from '../../src/queue.port.js';
import { openPushEndpoint, type PushAnswer, type PushEndpoint } from '../push-endpoint.js';

export interface QueueSubject {
  queue: Queue;
  /** A second publisher, as another replica has it. */
  replica: Queue;
  /** A topic that is pushed to the endpoint. */
  topic: string;
  /** Full name of its subscription. */
  subscription: string;
  /** Deliveries before a message goes to the dead-letter topic. */
  maxDeliveryAttempts: number;
  ackDeadlineMs: number;
  /** Whether a repeated idempotency key publishes nothing. */
  forgetsRepeats: boolean;
  /** Whether the envelope says which attempt it is. */
  countsAttempts: boolean;
  /** Statuses that end a delivery. */
  acknowledging: number[];
  /** What the dead-letter topic holds. */
  deadLetters(): Promise<{ data: string; attributes: Record<string, string> }[]>;
  close(): Promise<void>;
}

/** How long a redelivery may take where the backoff is set to the shortest. */
const redeliveryTimeoutMs = 30_000;

export function queueContract(name: string, open: (endpointUrl: string) => Promise<QueueSubject>): void {
  describe(`${name} keeps the contract of Queue`, () => {
    let endpoint: PushEndpoint;
    let subject: QueueSubject;
    const answers = new Map<string, (earlier: number) => PushAnswer>();
    beforeAll(async () => {
      endpoint = await openPushEndpoint();
      // Each test has the prefix of its own messages, so that they can share one subscription.
      endpoint.answer = (push, earlier) => answers.get(push.data.split('#')[0]!)?.(earlier) ?? 200;
      subject = await open(endpoint.url);
    }, 180_000);
    afterAll(async () => {
      await subject.close();
      await endpoint.close();
    });

    const ownPrefix = (answer?: (earlier: number) => PushAnswer) => {
      const prefix = randomUUID();
      if (answer) answers.set(prefix, answer);
      return `${prefix}#`;
    };
    const message = (data: string, attributes: Record<string, string> = {}): QueueMessage => ({ data, attributes });
    const publish = (...messages: QueueMessage[]) => subject.queue.publish(subject.topic, messages);

    it('pushes a message in the envelope of Pub/Sub', async () => {
      const prefix = ownPrefix();
      const before = Date.now();
      const [id] = await publish(message(`${prefix}Zoë 🌍`, { batch_number: '0', total_batches: '1000' }));
      const [push] = await endpoint.waitFor(prefix, 1);
      const { publishTime } = push!.envelope.message;
      expect(push!.envelope).toEqual({
        ...(subject.countsAttempts ? { deliveryAttempt: 1 } : {}),
        subscription: subject.subscription,
        message: {
          data: Buffer.from(`${prefix}Zoë 🌍`).toString('base64'),
          attributes: { batch_number: '0', total_batches: '1000' },
          messageId: id,
          message_id: id,
          publishTime,
          publish_time: publishTime,
        },
      });
      expect(publishTime).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/);
      expect(Math.abs(Date.parse(publishTime) - before)).toBeLessThan(60_000);
      expect(push!.headers['content-type']).toMatch(/^application\/json/);
      expect(new URL(push!.headers.host ? `http://${push!.headers.host}` : '').port).toBe(new URL(endpoint.url).port);
    });

    it('returns one id for each message, in their order', async () => {
      const prefix = ownPrefix();
      const bodies = Array.from({ length: 50 }, (_, index) => `${prefix}${index}`);
      const ids = await publish(...bodies.map((body) => message(body)));
      expect(new Set(ids).size).toBe(50);
      const pushes = await endpoint.waitFor(prefix, 50);
      const idOf = new Map(pushes.map((push) => [push.data, push.envelope.message.messageId]));
      expect(bodies.map((body) => idOf.get(body))).toEqual(ids);
      expect(await publish()).toEqual([]);
    });

    it('loses no message of parallel publishers', async () => {
      const prefix = ownPrefix();
      const bodies = Array.from({ length: 120 }, (_, index) => `${prefix}${index}`);
      await Promise.all(
        bodies.map((body, index) =>
          (index % 2 ? subject.replica : subject.queue).publish(subject.topic, [message(body)]),
        ),
      );
      const pushes = await endpoint.waitFor(prefix, 120, 40_000);
      expect(new Set(pushes.map((push) => push.data))).toEqual(new Set(bodies));
    });

    it('pushes until the answer acknowledges; errors, redirects and broken connections do not', async () => {
      const refusals: PushAnswer[] = [503, 302, 'hang_up', 206];
      const prefix = ownPrefix((earlier) => refusals[earlier] ?? 200);
      const [id] = await publish(message(`${prefix}x`));
      const pushes = await endpoint.waitFor(prefix, 5, redeliveryTimeoutMs);
      expect(new Set(pushes.map((push) => push.envelope.message.messageId))).toEqual(new Set([id]));
      expect(new Set(pushes.map((push) => push.envelope.message.publishTime)).size).toBe(1);
      if (subject.countsAttempts) {
        expect(pushes.map((push) => push.envelope.deliveryAttempt)).toEqual([1, 2, 3, 4, 5]);
      }
    }, 40_000);

    it('stops delivering at every acknowledging status', async () => {
      const prefixes = subject.acknowledging.map((status) => ownPrefix(() => status));
      await publish(...prefixes.map((prefix) => message(`${prefix}x`)));
      for (const prefix of prefixes) await endpoint.waitFor(prefix, 1);
      // A later message that is refused once has been round the backoff; the acknowledged ones have not come again.
      const marker = ownPrefix((earlier) => (earlier === 0 ? 500 : 200));
      await publish(message(`${marker}x`));
      await endpoint.waitFor(marker, 2, redeliveryTimeoutMs);
      for (const prefix of prefixes) expect(await endpoint.waitFor(prefix, 1)).toHaveLength(1);
    }, 40_000);

    it('treats silence past the deadline as a refusal', async () => {
      const prefix = ownPrefix((earlier) => (earlier === 0 ? 'hang' : 200));
      await publish(message(`${prefix}x`));
      const [first, second] = await endpoint.waitFor(prefix, 2, subject.ackDeadlineMs + redeliveryTimeoutMs);
      expect(second!.receivedMs - first!.receivedMs).toBeGreaterThanOrEqual(subject.ackDeadlineMs * 0.9);
    }, 60_000);

    it('moves a message that is never acknowledged to the dead-letter topic', async () => {
      const prefix = ownPrefix(() => 500);
      await publish(message(`${prefix}x`, { colour: 'blue' }));
      await endpoint.waitFor(prefix, subject.maxDeliveryAttempts, 60_000);
      let dead: { data: string; attributes: Record<string, string> }[] = [];
      for (let tries = 0; tries < 200 && dead.length === 0; tries += 1) {
        dead = (await subject.deadLetters()).filter(({ data }) => data.startsWith(prefix));
        if (dead.length === 0) await new Promise((resolve) => setTimeout(resolve, 100));
      }
      expect(dead).toHaveLength(1);
      expect(dead[0]).toMatchObject({
        data: `${prefix}x`,
        attributes: { colour: 'blue', CloudPubSubDeadLetterSourceDeliveryCount: String(subject.maxDeliveryAttempts) },
      });
      expect(await endpoint.waitFor(prefix, subject.maxDeliveryAttempts)).toHaveLength(subject.maxDeliveryAttempts);
    }, 100_000);

    it('drops a repeat, or publishes it again under a new id', async () => {
      const prefix = ownPrefix();
      const keyed = { ...message(`${prefix}x`), idempotencyKey: `key-${prefix}` };
      const [first] = await publish(keyed);
      await endpoint.waitFor(prefix, 1);
      const [second] = await subject.replica.publish(subject.topic, [keyed]);
      const other = `${prefix}other`;
      await publish({ ...message(other), idempotencyKey: `key-${other}` });
      await endpoint.waitFor(other, 1);
      if (subject.forgetsRepeats) {
        expect(second).toBe(first);
        expect((await endpoint.waitFor(`${prefix}x`, 1)).length).toBe(1);
      } else {
        expect(second).not.toBe(first);
        await endpoint.waitFor(`${prefix}x`, 2);
      }
    });

    it('refuses a message that is empty or larger than 10 MB, and accepts one of several megabytes', async () => {
      await expect(publish(message(''))).rejects.toThrow('needs a body or an attribute');
      await expect(publish(message('x'.repeat(10_000_001)))).rejects.toThrow('at most 10000000 bytes');
      const prefix = ownPrefix();
      await publish(message(prefix + 'x'.repeat(5_000_000)));
      expect((await endpoint.waitFor(prefix, 1))[0]!.data).toHaveLength(5_000_000 + prefix.length);
    }, 40_000);

    it('answers ping', async () => {
      await expect(subject.queue.ping()).resolves.toBeUndefined();
    });
  });
}
