// Opens pg-boss for publishers and dispatchers, and decides how long it keeps messages.
// pg-boss is loaded when first needed: a service that publishes nothing must not pay for it.
import type { PgBoss } from 'pg-boss';

export interface EmbeddedBrokerOptions {
  databaseUrl: string;
  deadLetterTopic: string;
  maxDeliveryAttempts: number;
  /** Connections at most. */
  poolSize: number;
  /** Whether this process looks for deliveries whose process died. */
  supervises: boolean;
  /** Told about failures in the background; the work goes on by itself. */
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

/** How long an undelivered message is kept: the longest that a Pub/Sub subscription can be set to. */
const retentionSeconds = 31 * daySeconds;
/** How long a delivered message, and with it its idempotency key, is remembered: past the end of the longest month. */
const rememberedSeconds = 35 * daySeconds;
/** A dispatcher that says nothing for this long has died; 10 s is the shortest that pg-boss allows. */
export const heartbeatSeconds = 10;
/**
 * How often the dead are looked for. Together with the heartbeat: a lost delivery is taken up again within about 13 s.
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
      // Neither job flows nor asynchronous migrations are used; the longest intervals keep an idle process idle.
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
 * Creates the topic or brings its policy up to date; safe in parallel. Messages keep the policy they were published
 * with.
 */
async function ensureTopic(boss: PgBoss, topic: string, options: EmbeddedBrokerOptions): Promise<void> {
  const kept = { retentionSeconds, deleteAfterSeconds: rememberedSeconds, heartbeatSeconds };
  // A message in the dead-letter topic waits for a person: it has no dead letter of its own and is never given up.
  const deadLetter = { ...kept, retryLimit: 1_000_000, retryDelay: 0, retryBackoff: false };
  const delivered =
    topic === options.deadLetterTopic
      ? deadLetter
      : {
          ...kept,
          // The dispatcher decides when the next delivery is due; 0 makes one that died with its process due at once.
          retryLimit: options.maxDeliveryAttempts - 1,
          retryDelay: 0,
          retryBackoff: false,
          deadLetter: options.deadLetterTopic,
        };
  if (topic !== options.deadLetterTopic) await boss.createQueue(options.deadLetterTopic, deadLetter);
  await boss.createQueue(topic, delivered);
  await boss.updateQueue(topic, delivered);
}
