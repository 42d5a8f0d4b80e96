// The queue on PostgreSQL, through pg-boss. A topic is a pg-boss queue of the same name in the schema `queue`.
import { createHash, randomUUID } from 'node:crypto';
import { openEmbeddedBroker, type EmbeddedBroker } from './embedded-broker.js';
import { assertPublishable } from './publishable.js';
import { Queue, type QueueMessage } from './queue.port.js';

export interface EmbeddedQueueOptions {
  databaseUrl: string;
  /** Where messages of every topic go once their deliveries are used up. */
  deadLetterTopic: string;
  /** Deliveries of one message before it goes there. */
  maxDeliveryAttempts: number;
}

/** What one message is in its pg-boss job. */
export interface StoredMessage {
  data: string;
  attributes: Record<string, string>;
}

/**
 * Messages with an `idempotencyKey` are remembered for as long as their job is kept (see embedded-broker.ts).
 * Publishing the key again on the same topic adds nothing and answers with the first message's id.
 */
export class EmbeddedQueue extends Queue {
  readonly #broker: EmbeddedBroker;

  constructor(options: EmbeddedQueueOptions) {
    super();
    this.#broker = openEmbeddedBroker({ ...options, poolSize: 3, supervises: false });
  }

  /** All or nothing: one insert, made durable by its commit. */
  async publish(topic: string, messages: readonly QueueMessage[]): Promise<string[]> {
    if (messages.length === 0) return [];
    for (const message of messages) assertPublishable(message);
    const jobs = messages.map((message) => ({
      id: message.idempotencyKey === undefined ? randomUUID() : stableId(topic, message.idempotencyKey),
      data: { data: message.data, attributes: message.attributes } satisfies StoredMessage,
    }));
    // pg-boss refuses a batch that names an id twice; the first message of a key is the one that counts.
    const distinct = [...new Map(jobs.toReversed().map((job) => [job.id, job])).values()].toReversed();
    const boss = await this.#broker.withTopic(topic);
    await boss.insert(topic, distinct);
    return jobs.map((job) => job.id);
  }

  async ping(): Promise<void> {
    const boss = await this.#broker.ready();
    await boss.getDb().executeSql('select 1');
  }

  async onApplicationShutdown(): Promise<void> {
    await this.#broker.close();
  }
}

/** The key as a version 8 UUID (RFC 9562), since pg-boss names jobs by UUID. */
function stableId(topic: string, idempotencyKey: string): string {
  const bytes = createHash('sha256').update(topic).update('\0').update(idempotencyKey).digest().subarray(0, 16);
  bytes[6] = (bytes[6]! & 0x0f) | 0x80;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  const hex = bytes.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
