// Opens pg-boss for publishers and dispatchers, and decides how long it keeps messages. It loads pg-boss at first use,
// so a service that publishes nothing does not pay for it.
import type { PgBoss } from 'pg-boss';

export interface EmbeddedBrokerOptions {
  databaseUrl: string;
  deadLetterTopic: string;
  maxDeliveryAttempts: number;
  /** Most connections. */
  poolSize: number;
  /** Whether this process looks for deliveries whose process died. */
  supervises: boolean;
  /** Called for failures in the background, which does not stop. */
  onError?: (error: Error) => void;
}

export interface EmbeddedBroker {
  /** The started pg-boss. Rejects while the database cannot be reached; the next call tries again. */
  ready(): Promise<PgBoss>;
  /** The same, once the topic and its dead-letter topic exist. */
  withTopic(topic: string): Promise<PgBoss>;
  close(): Promise<void>;
}

const schema = 'queue';
const daySeconds = 86_400;

/** How long an undelivered message is kept: the maximum of a Pub/Sub subscription. */
const retentionSeconds = 31 * daySeconds;
/** How long a delivered message and its idempotency key are remembered: longer than the longest month. */
const rememberedSeconds = 35 * daySeconds;
/** A dispatcher without a heartbeat for this long counts as dead. The minimum of pg-boss is 10 s. */
export const heartbeatSeconds = 10;
/**
 * How often it looks for dead dispatchers. With the heartbeat, a lost delivery is resumed within about 13 s.
 */
const superviseIntervalSeconds = 2;

export function openEmbeddedBroker(options: EmbeddedBrokerOptions): EmbeddedBroker {
  let starting: Promise<PgBoss> | undefined;
  let isClosed = false;
  const topics = new Map<string, Promise<void>>();

  const start = async (): Promise<PgBoss> => {
    const { PgBoss } = await import('pg-boss');
    const boss = new PgBoss({
      connectionString: options.databaseUrl,
      application_name: 'tradewind-queue',
      schema,
      max: options.poolSize,
      connectionTimeoutMillis: 5_000,
      supervise: options.supervises,
      superviseIntervalSeconds,
      monitorIntervalSeconds: superviseIntervalSeconds,
      schedule: false,
      // Job flows and asynchronous migrations are not used. Long intervals keep an idle process idle.
      flowIntervalSeconds: 3_600,
      bamIntervalSeconds: 3_600,
    });
    boss.on('error', (error) => options.onError?.(error));
    try {
      await boss.start();
    } catch (error) {
      await boss.stop({ graceful: false }).catch(() => undefined);
      throw error;
    }
    return boss;
  };

  const ready = async (): Promise<PgBoss> => {
    if (isClosed) throw new Error('the queue is closed');
    starting ??= start().catch((error: unknown) => {
      starting = undefined;
      throw error;
    });
    return starting;
  };

  return {
    ready,
    async withTopic(topic) {
      const boss = await ready();
      let ensured = topics.get(topic);
      if (!ensured) {
        ensured = ensureTopic(boss, topic, options).catch((error: unknown) => {
          topics.delete(topic);
          throw error;
        });
        topics.set(topic, ensured);
      }
      await ensured;
      return boss;
    },
    async close() {
      isClosed = true;
      const boss = await starting?.catch(() => undefined);
      await boss?.stop({ graceful: true, timeout: 5_000 });
    },
  };
}

/**
 * Creates the topic or updates its policy; safe in parallel. Messages keep the policy with which they were published.
 */
async function ensureTopic(boss: PgBoss, topic: string, options: EmbeddedBrokerOptions): Promise<void> {
  const kept = { retentionSeconds, deleteAfterSeconds: rememberedSeconds, heartbeatSeconds };
  // A message in the dead-letter topic waits for a person, so it has no dead letter of its own and no last attempt.
  const deadLetter = { ...kept, retryLimit: 1_000_000, retryDelay: 0, retryBackoff: false };
  const delivered =
    topic === options.deadLetterTopic
      ? deadLetter
      : {
          ...kept,
          // The dispatcher decides when the next delivery is due. With 0, one whose process died is due at once.
          retryLimit: options.maxDeliveryAttempts - 1,
          retryDelay: 0,
          retryBackoff: false,
          deadLetter: options.deadLetterTopic,
        };
  if (topic !== options.deadLetterTopic) await boss.createQueue(options.deadLetterTopic, deadLetter);
  await boss.createQueue(topic, delivered);
  await boss.updateQueue(topic, delivered);
}
