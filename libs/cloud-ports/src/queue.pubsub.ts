// The queue on Google Pub/Sub. Pub/Sub itself pushes, by the subscription that topology.pubsub.ts sets up.
import { PubSub, type Topic } from '@google-cloud/pubsub';
import { assertPublishable } from './publishable.js';
import { Queue, type QueueMessage } from './queue.port.js';

export interface PubSubQueueOptions {
  projectId: string;
  /** The topic that `ping` reads; this needs pubsub.topics.get on it. */
  pingTopic: string;
  /** host:port of an emulator or fake; calls carry no credentials then. */
  apiEndpoint?: string | undefined;
  /** How long a publish is retried before it rejects, milliseconds. */
  publishTimeoutMs?: number;
}

/** gRPC codes after which a repeat is useful, as in the configuration of Google's client. */
const retryCodes = [1, 2, 4, 8, 10, 13, 14];

/**
 * A batch is sent when it is 10 ms old, or has 100 messages or about 1 MB. A request may have 10 MB.
 */
const batching = { maxMessages: 100, maxMilliseconds: 10, maxBytes: 1_000_000 };

/** With this much unacknowledged, publishing waits, so that a large run fits into the memory of a small pod. */
const flowControlOptions = { maxOutstandingMessages: 1_000, maxOutstandingBytes: 32_000_000 };

/**
 * Pub/Sub cannot ignore a repeat: it becomes a second message with another id. The `idempotencyKey` is sent as the
 * attribute `idempotency_key`, for receivers and for people who read logs.
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

  /** Accepts no more, waits for open publishes (each has its own timeout), then closes the connections. */
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

/** Options of every Pub/Sub client. An apiEndpoint means an emulator, plain text and no credentials. */
export function clientOptions({ projectId, apiEndpoint }: { projectId: string; apiEndpoint?: string | undefined }) {
  return apiEndpoint === undefined ? { projectId } : { projectId, apiEndpoint, emulatorMode: true };
}
