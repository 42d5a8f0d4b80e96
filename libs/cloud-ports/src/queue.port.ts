/** One message to publish. */
export interface QueueMessage {
  /** Body; JSON text for every topic of this platform. At most 10 MB. */
  data: string;
  /** Text attributes, delivered with the body. */
  attributes: Record<string, string>;
  /**
   * The publisher's stable name for this message. An implementation that can ignore a repeat does so. One that cannot
   * (Pub/Sub) publishes it again, so receivers must de-duplicate by business key.
   */
  idempotencyKey?: string;
}

/**
 * A durable topic that pushes to HTTP endpoints in the Pub/Sub push envelope.
 *
 * Ordering: none is promised. Repetition: at least once; a receiver may see a message twice, also after it answered.
 * Acknowledgement: status 102, 200, 201, 202 or 204 ends the delivery. Everything else, a broken connection and no
 * answer before the deadline lead to redelivery with backoff, then to the dead-letter topic.
 * Failure: `publish` rejects when not all messages are known to be durable; publishing them again is then safe.
 * Concurrency: safe to call in parallel.
 */
export abstract class Queue {
  /** Resolves with the message ids, in the order given, once every message is durable. */
  abstract publish(topic: string, messages: readonly QueueMessage[]): Promise<string[]>;
  /** Rejects while the queue cannot take messages. For `GET /ready`. */
  abstract ping(): Promise<void>;
  /** Waits for open publishes, then closes the connections. Called by Nest at shutdown. */
  abstract onApplicationShutdown(): Promise<void>;
}
