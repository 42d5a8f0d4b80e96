// The queue on Google Pub/Sub. Pub/Sub itself pushes, by the subscription that topology.pubsub.ts sets up.
import { PubSub, type Topic } from '@google-cloud/pubsub';
import { assertPublishable } from './publishable.js';
import { Queue, type QueueMessage } from './queue.port.js';

export interface PubSubQueueOptions {
  projectId: string;
  /** Asked for by `ping`; the caller needs pubsub.topics.get on it. */
  pingTopic: string;
  /** host:port of an emulator or fake; calls carry no credentials then. */
  apiEndpoint?: string | undefined;
  /** How long a publish is tried again before it rejects, milliseconds. */
  publishTimeoutMs?: number;
}

/** gRPC codes after which publishing again is useful: those that Google's own client configuration names. */
const retryCodes = [1, 2, 4, 8, 10, 13, 14];

/**
 * A batch leaves when it is 10 ms old, has 100 messages or about 1 MB: well below the 10 MB that one request may have.
 */
const batching = { maxMessages: 100, maxMilliseconds: 10, maxBytes: 1_000_000 };

/** Publishing waits once this much is on its way, so that a large fan-out stays within a small pod's memory. */
const flowControlOptions = { maxOutstandingMessages: 1_000, maxOutstandingBytes: 32_000_000 };

/**
 * Pub/Sub cannot forget a repeat: an `idempotencyKey` is carried as the attribute `idempotency_key` for receivers and
 * for people who read logs, and a repeat becomes a second message with an id of its own.
 */
export class PubSubQueue extends Queue {
  readonly #pubsub: PubSub;
  readonly #options: PubSubQueueOptions;
  readonly #topics = new Map<string, Topic>();
  readonly #publishing = new Set<Promise<unknown>>();
  #isClosed = false;

  constructor(options: PubSubQueueOptions) {
    super();
    this.#options = options;
    this.#pubsub = new PubSub(clientOptions(options));
  }

  async publish(topic: string, messages: readonly QueueMessage[]): Promise<string[]> {
    if (this.#isClosed) throw new Error('the queue is closed');
    for (const message of messages) assertPublishable(message);
    const published = this.#publish(this.#topic(topic), messages);
    this.#publishing.add(published);
    try {
      return await published;
    } finally {
      this.#publishing.delete(published);
    }
  }

  async #publish(topic: Topic, messages: readonly QueueMessage[]): Promise<string[]> {
    const publisher = topic.flowControlled();
    for (const { data, attributes, idempotencyKey } of messages) {
      await publisher.publish({
        data: Buffer.from(data, 'utf8'),
        attributes: idempotencyKey === undefined ? attributes : { ...attributes, idempotency_key: idempotencyKey },
      });
    }
    return publisher.all();
  }

  async ping(): Promise<void> {
    // One try: the caller asks again anyway.
    await this.#topic(this.#options.pingTopic).getMetadata({ timeout: 4_000, retry: null });
  }

  /** Takes no more, waits for every publish on its way (each ends by its own timeout), then closes the connections. */
  async onApplicationShutdown(): Promise<void> {
    this.#isClosed = true;
    await Promise.allSettled(this.#publishing);
    await this.#pubsub.close();
  }

  #topic(name: string): Topic {
    let topic = this.#topics.get(name);
    if (!topic) {
      const totalTimeoutMillis = this.#options.publishTimeoutMs ?? 60_000;
      topic = this.#pubsub.topic(name, {
        batching,
        flowControlOptions,
        gaxOpts: {
          retry: {
            retryCodes,
            backoffSettings: {
              initialRetryDelayMillis: 100,
              retryDelayMultiplier: 2,
              maxRetryDelayMillis: 10_000,
              initialRpcTimeoutMillis: Math.min(20_000, totalTimeoutMillis),
              rpcTimeoutMultiplier: 1,
              maxRpcTimeoutMillis: 20_000,
              totalTimeoutMillis,
            },
          },
        },
      });
      this.#topics.set(name, topic);
    }
    return topic;
  }
}

/** Options of every Pub/Sub client: an endpoint of one's own means an emulator, plain text and no credentials. */
export function clientOptions({ projectId, apiEndpoint }: { projectId: string; apiEndpoint?: string | undefined }) {
  return apiEndpoint === undefined ? { projectId } : { projectId, apiEndpoint, emulatorMode: true };
}
