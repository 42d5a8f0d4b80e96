// One function per port: reads CLOUD and gives the implementation. Each implementation, and with it its client
// packages, is loaded only when it is the chosen one. None of these functions touches the network.
import { profileBatchTopic } from '@tradewind/shared-types';
import type { EmbeddedPushDispatcher, PushDispatchEvent } from './push-dispatcher.embedded.js';
import type { ObjectStore } from './object-store.port.js';
import type { PushAuthenticator } from './push-authenticator.port.js';
import type { Queue } from './queue.port.js';
import {
  requiredSetting,
  type ObjectStoreSettings,
  type PushSettings,
  type QueueSettings,
  type WarehouseSettings,
} from './settings.js';
import type { TopologyEntry } from './topology.js';
import type { Warehouse } from './warehouse.port.js';

export async function createQueue(settings: QueueSettings): Promise<Queue> {
  if (settings.CLOUD === 'google') {
    const { PubSubQueue } = await import('./queue.pubsub.js');
    return new PubSubQueue({
      projectId: requiredSetting(settings, 'GOOGLE_CLOUD_PROJECT'),
      pingTopic: profileBatchTopic,
      apiEndpoint: settings.PUBSUB_API_ENDPOINT,
    });
  }
  const { EmbeddedQueue } = await import('./queue.embedded.js');
  return new EmbeddedQueue({
    databaseUrl: requiredSetting(settings, 'QUEUE_DATABASE_URL'),
    deadLetterTopic: settings.QUEUE_DEAD_LETTER_TOPIC,
    maxDeliveryAttempts: settings.QUEUE_MAX_DELIVERY_ATTEMPTS,
  });
}

/**
 * The dispatcher of the embedded queue for one topic, not yet started. Undefined when there is nothing to dispatch
 * here: with CLOUD=google, where Pub/Sub itself pushes, and without a PUSH_ENDPOINT.
 */
export async function createPushDispatcher(
  settings: QueueSettings,
  topic: string,
  onEvent?: (event: PushDispatchEvent) => void,
): Promise<EmbeddedPushDispatcher | undefined> {
  if (settings.CLOUD === 'google' || !settings.PUSH_ENDPOINT) return undefined;
  const { EmbeddedPushDispatcher } = await import('./push-dispatcher.embedded.js');
  return new EmbeddedPushDispatcher({
    databaseUrl: requiredSetting(settings, 'QUEUE_DATABASE_URL'),
    topic,
    subscription: `projects/${settings.GOOGLE_CLOUD_PROJECT ?? 'embedded'}/subscriptions/${settings.QUEUE_SUBSCRIPTION}`,
    endpoint: settings.PUSH_ENDPOINT,
    token: pushTokens(requiredSetting(settings, 'QUEUE_PUSH_TOKEN'))[0]!,
    deadLetterTopic: settings.QUEUE_DEAD_LETTER_TOPIC,
    maxDeliveryAttempts: settings.QUEUE_MAX_DELIVERY_ATTEMPTS,
    ackDeadlineMs: settings.QUEUE_ACK_DEADLINE_SECONDS * 1000,
    backoffMsMin: settings.QUEUE_BACKOFF_MS_MIN,
    backoffMsMax: settings.QUEUE_BACKOFF_MS_MAX,
    concurrency: settings.QUEUE_PUSH_CONCURRENCY,
    ...(onEvent ? { onEvent } : {}),
  });
}

export async function createPushAuthenticator(settings: PushSettings): Promise<PushAuthenticator> {
  if (settings.CLOUD === 'google') {
    const { GooglePushAuthenticator } = await import('./push-authenticator.google.js');
    return new GooglePushAuthenticator({
      audience: requiredSetting(settings, 'PUSH_AUDIENCE'),
      serviceAccount: requiredSetting(settings, 'PUSH_SERVICE_ACCOUNT'),
      certsUrl: settings.GOOGLE_SIGNING_KEYS_URL,
    });
  }
  const { EmbeddedPushAuthenticator } = await import('./push-authenticator.embedded.js');
  return new EmbeddedPushAuthenticator(pushTokens(requiredSetting(settings, 'QUEUE_PUSH_TOKEN')));
}

export async function createWarehouse(settings: WarehouseSettings): Promise<Warehouse> {
  if (settings.CLOUD === 'google') return createBigQueryWarehouse(settings);
  const { PostgresWarehouse } = await import('./warehouse.postgres.js');
  return new PostgresWarehouse({
    databaseUrl: requiredSetting(settings, 'WAREHOUSE_DATABASE_URL'),
    poolSize: settings.WAREHOUSE_POOL_SIZE,
  });
}

export async function createObjectStore(settings: ObjectStoreSettings): Promise<ObjectStore> {
  if (settings.CLOUD === 'google') {
    const { GcsObjectStore } = await import('./object-store.gcs.js');
    return new GcsObjectStore({
      projectId: requiredSetting(settings, 'GOOGLE_CLOUD_PROJECT'),
      apiEndpoint: settings.STORAGE_API_ENDPOINT,
    });
  }
  const { FileObjectStore } = await import('./object-store.file.js');
  return new FileObjectStore(requiredSetting(settings, 'OBJECT_STORE_DIR'));
}

async function createBigQueryWarehouse(settings: WarehouseSettings): Promise<Warehouse> {
  const { BigQueryWarehouse } = await import('./warehouse.bigquery.js');
  const options = {
    projectId: requiredSetting(settings, 'GOOGLE_CLOUD_PROJECT'),
    dataset: settings.BIGQUERY_DATASET,
    location: settings.BIGQUERY_LOCATION,
    apiEndpoint: settings.BIGQUERY_API_ENDPOINT,
  };
  switch (settings.BIGQUERY_WRITE) {
    case 'insert_all': {
      const { InsertAllAppender } = await import('./bigquery-insert-all.js');
      return new BigQueryWarehouse(options, (bigquery) => new InsertAllAppender(bigquery, options.dataset));
    }
    case 'storage_write': {
      const { StorageWriteAppender } = await import('./bigquery-storage-write.js');
      const storage = { ...options, apiEndpoint: settings.BIGQUERY_STORAGE_API_ENDPOINT };
      return new BigQueryWarehouse(options, () => new StorageWriteAppender(storage));
    }
  }
}

/**
 * Creates what is missing of topics and subscriptions and compares the rest with the settings. For the operator command
 * `queue ensure`. Throws TopologyMismatchError, and changes nothing, when something exists that differs.
 * With CLOUD=embedded the topics are created or brought up to date; there is nothing that could differ.
 */
export async function ensureTopology(
  settings: QueueSettings,
  topic: string = profileBatchTopic,
): Promise<TopologyEntry[]> {
  if (settings.CLOUD === 'google') {
    const { ensurePubSubTopology } = await import('./topology.pubsub.js');
    const pushEndpoint = requiredSetting(settings, 'PUSH_ENDPOINT');
    return ensurePubSubTopology({
      projectId: requiredSetting(settings, 'GOOGLE_CLOUD_PROJECT'),
      apiEndpoint: settings.PUBSUB_API_ENDPOINT,
      topic,
      subscription: settings.QUEUE_SUBSCRIPTION,
      deadLetterTopic: settings.QUEUE_DEAD_LETTER_TOPIC,
      pushEndpoint,
      pushAudience: settings.PUSH_AUDIENCE || pushEndpoint,
      // An emulator signs nothing, so against one it may be left out.
      pushServiceAccount: settings.PUBSUB_API_ENDPOINT
        ? settings.PUSH_SERVICE_ACCOUNT
        : requiredSetting(settings, 'PUSH_SERVICE_ACCOUNT'),
      maxDeliveryAttempts: settings.QUEUE_MAX_DELIVERY_ATTEMPTS,
      backoffMsMin: settings.QUEUE_BACKOFF_MS_MIN,
      backoffMsMax: settings.QUEUE_BACKOFF_MS_MAX,
      ackDeadlineSeconds: settings.QUEUE_ACK_DEADLINE_SECONDS,
    });
  }
  const { openEmbeddedBroker } = await import('./embedded-broker.js');
  const broker = openEmbeddedBroker({
    databaseUrl: requiredSetting(settings, 'QUEUE_DATABASE_URL'),
    deadLetterTopic: settings.QUEUE_DEAD_LETTER_TOPIC,
    maxDeliveryAttempts: settings.QUEUE_MAX_DELIVERY_ATTEMPTS,
    poolSize: 1,
    supervises: false,
  });
  try {
    const topics = [settings.QUEUE_DEAD_LETTER_TOPIC, topic];
    const boss = await broker.ready();
    const existing = new Set((await boss.getQueues(topics)).map(({ name }) => name));
    await broker.withTopic(topic);
    return topics.map((name) => ({ resource: `topic ${name}`, outcome: existing.has(name) ? 'matches' : 'created' }));
  } finally {
    await broker.close();
  }
}

function pushTokens(list: string): string[] {
  const tokens = list.split(',').map((token) => token.trim());
  if (tokens.includes('')) throw new Error('QUEUE_PUSH_TOKEN holds an empty token');
  return tokens;
}
