// Delivers the messages of an embedded topic to an HTTP endpoint, as Pub/Sub's push subscriptions do. Several
// dispatchers in any number of processes share one topic: only one of them delivers a message at a time.
import { setTimeout as delay } from 'node:timers/promises';
import { backoffMs, type Backoff } from '@tradewind/shared-types';
import type { JobWithMetadata, PgBoss } from 'pg-boss';
import { heartbeatSeconds, openEmbeddedBroker, type EmbeddedBroker } from './embedded-broker.js';
import { pushEnvelope } from './push-envelope.js';
import type { StoredMessage } from './queue.embedded.js';

export interface EmbeddedPushDispatcherOptions extends Backoff {
  databaseUrl: string;
  topic: string;
  /** Full name as the envelope carries it, `projects/<project>/subscriptions/<name>`. */
  subscription: string;
  endpoint: string;
  /** Sent as `Authorization: Bearer`. */
  token: string;
  deadLetterTopic: string;
  /** Deliveries of one message, the first included, before it goes to the dead-letter topic. */
  maxDeliveryAttempts: number;
  /** How long an answer may take, milliseconds, at most 300,000. A later answer is ignored. */
  ackDeadlineMs: number;
  /** Most parallel deliveries. */
  concurrency: number;
  /** How often it looks at an empty topic, milliseconds. */
  pollIntervalMs?: number;
  /** Called for each delivery and each fault, for logs and metrics. Must not throw. */
  onEvent?: (event: PushDispatchEvent) => void;
}

export type PushDispatchEvent =
  | { kind: 'delivered'; topic: string; messageId: string; attempt: number; status: number; seconds: number }
  /** `retryInMs` is absent when the message went to the dead-letter topic instead. */
  | { kind: 'not_acknowledged'; topic: string; messageId: string; attempt: number; reason: string; retryInMs?: number }
  /** The queue's database failed; the dispatcher tries again. */
  | { kind: 'queue_error'; topic: string; error: unknown };

/** Statuses that end a delivery. Every other answer, redirects too, leads to another delivery. */
const acknowledgingStatuses: ReadonlySet<number> = new Set([102, 200, 201, 202, 204]);
/** The mean latency of an idle dispatcher is half of it, for two cheap queries per second. */
const pollIntervalMsDefault = 500;
const errorPauseMsMax = 5_000;
/** Three heartbeats before the claim expires. */
const heartbeatIntervalMs = (heartbeatSeconds * 1000) / 4;

type Delivery = JobWithMetadata<StoredMessage>;

/**
 * Failure: a delivery that is not acknowledged is repeated after a backoff that doubles from `backoffMsMin` to
 * `backoffMsMax`. After `maxDeliveryAttempts` the message goes to the dead-letter topic. A dispatcher that is killed
 * loses nothing: within about 13 s others, or its successor, repeat its deliveries, which counts as one attempt.
 * Repetition: an acknowledgement that could not be recorded leads to a second delivery.
 */
export class EmbeddedPushDispatcher {
  readonly #options: EmbeddedPushDispatcherOptions;
  readonly #broker: EmbeddedBroker;
  readonly #underWay = new Map<Delivery, Promise<void>>();
  readonly #stopping = new AbortController();
  readonly #abandon = new AbortController();
  #loop: Promise<void> | undefined;
  #heartbeat: NodeJS.Timeout | undefined;
  #slotFreed: () => void = () => undefined;

  constructor(options: EmbeddedPushDispatcherOptions) {
    this.#options = options;
    this.#broker = openEmbeddedBroker({
      ...options,
      poolSize: 4,
      supervises: true,
      onError: (error) => this.#report({ kind: 'queue_error', topic: options.topic, error }),
    });
  }

  /** Starts to deliver and returns at once. While the database cannot be reached, it tries again. */
  start(): void {
    this.#loop ??= this.#run();
    this.#heartbeat ??= setInterval(() => void this.#keepClaims(), heartbeatIntervalMs);
  }

  /**
   * Takes no more messages and waits for open deliveries, at most `graceMs`. Then it cancels them and puts their
   * messages back, due at once for the next dispatcher.
   */
  async stop(graceMs = 5_000): Promise<void> {
    this.#stopping.abort();
    this.#slotFreed();
    await this.#loop;
    const timer = setTimeout(() => this.#abandon.abort(), graceMs);
    await Promise.all(this.#underWay.values());
    clearTimeout(timer);
    clearInterval(this.#heartbeat);
    await this.#broker.close();
  }

  async #run(): Promise<void> {
    const { topic, concurrency, pollIntervalMs = pollIntervalMsDefault } = this.#options;
    let failures = 0;
    while (!this.#stopping.signal.aborted) {
      const free = concurrency - this.#underWay.size;
      if (free === 0) {
        await new Promise<void>((resolve) => (this.#slotFreed = resolve));
        continue;
      }
      let fetched = 0;
      try {
        const boss = await this.#broker.withTopic(topic);
        const deliveries = await boss.fetch<StoredMessage>(topic, { batchSize: free, includeMetadata: true });
        fetched = deliveries.length;
        failures = 0;
        for (const delivery of deliveries) this.#begin(boss, delivery);
      } catch (error) {
        failures += 1;
        this.#report({ kind: 'queue_error', topic, error });
      }
      // A full batch means that there may be more at once.
      if (fetched === free) continue;
      const errorPause = { backoffMsMin: 2 * pollIntervalMs, backoffMsMax: errorPauseMsMax };
      await this.#pause(failures === 0 ? pollIntervalMs : backoffMs(failures, errorPause));
    }
  }

  async #pause(milliseconds: number): Promise<void> {
    await delay(milliseconds, undefined, { signal: this.#stopping.signal }).catch(() => undefined);
  }

  #begin(boss: PgBoss, delivery: Delivery): void {
    const done = this.#deliver(boss, delivery)
      .catch((error: unknown) => this.#report({ kind: 'queue_error', topic: this.#options.topic, error }))
      .finally(() => {
        this.#underWay.delete(delivery);
        this.#slotFreed();
      });
    this.#underWay.set(delivery, done);
  }

  async #deliver(boss: PgBoss, delivery: Delivery): Promise<void> {
    const { topic } = this.#options;
    const attempt = delivery.retryCount + 1;
    const started = performance.now();
    const answer = await this.#push(delivery, attempt);
    const event = { topic, messageId: delivery.id, attempt };
    if (typeof answer === 'number' && acknowledgingStatuses.has(answer)) {
      // Only this attempt is completed: when the claim has expired meanwhile, the newer delivery decides.
      await boss.complete(topic, delivery);
      this.#report({ kind: 'delivered', ...event, status: answer, seconds: (performance.now() - started) / 1000 });
      return;
    }
    const reason = typeof answer === 'number' ? `HTTP ${answer}` : answer;
    const retryInMs = this.#abandon.signal.aborted ? 0 : backoffMs(attempt, this.#options);
    const isLast = attempt > delivery.retryLimit;
    await putBack(boss, topic, delivery, reason, retryInMs);
    this.#report({ kind: 'not_acknowledged', ...event, reason, ...(isLast ? {} : { retryInMs }) });
  }

  /** The status of the answer, or the reason why there was none. */
  async #push(delivery: Delivery, attempt: number): Promise<number | string> {
    const { endpoint, token, ackDeadlineMs } = this.#options;
    const attributes = deliveredAttributes(delivery);
    const body = pushEnvelope(
      { id: delivery.id, data: delivery.data.data, attributes, publishedAt: delivery.createdOn },
      this.#options.subscription,
      attempt,
    );
    try {
      const response = await fetch(endpoint, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json',
          authorization: `Bearer ${token}`,
          ...traceHeaders(attributes),
        },
        body,
        redirect: 'manual',
        signal: AbortSignal.any([AbortSignal.timeout(ackDeadlineMs), this.#abandon.signal]),
      });
      // Read to the end, so that the connection can be used again.
      await response.arrayBuffer();
      return response.status;
    } catch (error) {
      if (this.#abandon.signal.aborted) return 'the dispatcher was stopped';
      return errorText(error);
    }
  }

  /** Sends a heartbeat for every open delivery. */
  async #keepClaims(): Promise<void> {
    const deliveries = [...this.#underWay.keys()];
    if (deliveries.length === 0) return;
    try {
      const boss = await this.#broker.ready();
      await boss.touch(this.#options.topic, deliveries);
    } catch (error) {
      this.#report({ kind: 'queue_error', topic: this.#options.topic, error });
    }
  }

  #report(event: PushDispatchEvent): void {
    this.#options.onEvent?.(event);
  }
}

/**
 * Ends this attempt in one transaction: the message is due again after the delay, or moves to the dead-letter topic
 * after the last attempt.
 */
async function putBack(
  boss: PgBoss,
  topic: string,
  delivery: Delivery,
  reason: string,
  delayMs: number,
): Promise<void> {
  const transaction = await boss.getDb().beginTransaction!();
  try {
    await boss.fail(topic, delivery, { message: reason }, { db: transaction.db });
    if (delivery.retryCount < delivery.retryLimit) {
      // eslint-disable-next-line no-restricted-syntax -- pg-boss takes an instant; it runs on this machine
      const startAfter = new Date(Date.now() + delayMs);
      // Without it pg-boss would extend the retention by each delay.
      const retentionSeconds = Math.max(1, Math.floor((delivery.keepUntil.getTime() - startAfter.getTime()) / 1000));
      await boss.update(topic, undefined, { id: delivery.id, startAfter, retentionSeconds, db: transaction.db });
    }
    await transaction.commit();
  } catch (error) {
    await transaction.rollback();
    throw error;
  }
}

/** Adds the attributes with which Pub/Sub says where a dead letter came from. */
function deliveredAttributes(delivery: Delivery): Record<string, string> {
  const { attributes } = delivery.data;
  if (!delivery.sourceName) return attributes;
  return {
    ...attributes,
    CloudPubSubDeadLetterSourceDeliveryCount: String((delivery.sourceRetryCount ?? 0) + 1),
    CloudPubSubDeadLetterSourceSubscription: delivery.sourceName,
    CloudPubSubDeadLetterSourceTopicPublishTime: (delivery.sourceCreatedOn ?? delivery.createdOn).toISOString(),
  };
}

/** The W3C trace context of the publisher, so that the receiver's spans join the same trace. */
function traceHeaders(attributes: Record<string, string>): Record<string, string> {
  const { traceparent, tracestate } = attributes;
  if (traceparent === undefined) return {};
  return { traceparent, ...(tracestate === undefined ? {} : { tracestate }) };
}

function errorText(error: unknown): string {
  const { name, message, cause } = error as Error;
  if (name === 'TimeoutError') return 'no answer within the ack deadline';
  const reason = (cause as Error | undefined)?.message;
  return reason ? `${message}: ${reason}` : message;
}
