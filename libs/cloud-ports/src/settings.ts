// Environment variables of the ports, as settings that an app spreads into its own configuration.
// CLOUD chooses the implementations. The settings of the other cloud are optional.
import { choice, integer, profileBackupBucket, secret, str, url } from '@tradewind/shared-types';
import { assertBucketName } from './object-names.js';

/** The implementations to use: `embedded` (PostgreSQL and the file system) or `google`. */
export type Cloud = 'embedded' | 'google';

const emulatorsOnly = {
  productionRule: () => 'must not be set in production: it belongs to an emulator, and calls carry no credentials',
};

const onEmbedded = (env: Record<string, unknown>) => env['CLOUD'] !== 'google';
const onGoogle = (env: Record<string, unknown>) => env['CLOUD'] === 'google';

const cloud = {
  CLOUD: choice(['embedded', 'google'], {
    default: 'embedded',
    desc: 'Implementations of queue, warehouse and object store: embedded or google',
  }),
};

const googleProject = {
  GOOGLE_CLOUD_PROJECT: str({
    default: undefined,
    requiredWhen: onGoogle,
    desc: 'Project id of Google Cloud (CLOUD=google)',
    example: 'tradewind-production',
  }),
};

const pushToken = {
  QUEUE_PUSH_TOKEN: secret({
    separator: ',',
    devDefault: 'dev-only-queue-push-token',
    default: undefined,
    requiredWhen: onEmbedded,
    desc: 'Bearer token of the embedded push; several separated by commas while it is rotated, the first one is sent (CLOUD=embedded)',
  }),
};

/** For services that verify tokens of Google: pushes of Pub/Sub, calls of Cloud Scheduler. */
export const googleSigningKeysSettings = {
  GOOGLE_SIGNING_KEYS_URL: url({
    productionRule: () => 'must not be set in production: whoever publishes keys there can sign every token',
    default: undefined,
    desc: 'Where the keys of Google-signed tokens are read instead of at Google, for tests with keys of their own (CLOUD=google)',
    example: 'http://127.0.0.1:9990/certs',
  }),
};

/** For the service that publishes, delivers and sets up topics: the coordinator. */
export const queueSettings = {
  ...cloud,
  ...googleProject,
  ...pushToken,
  QUEUE_DATABASE_URL: secret({
    default: undefined,
    requiredWhen: onEmbedded,
    desc: 'PostgreSQL database of the queue, schema `queue` (CLOUD=embedded)',
    example: 'postgres://queue@db.example.com/tradewind',
  }),
  QUEUE_SUBSCRIPTION: str({
    default: 'network-scraping-batches-push',
    desc: 'Name of the push subscription to the batch topic',
  }),
  QUEUE_DEAD_LETTER_TOPIC: str({
    default: 'network-scraping-batches-dead-letter',
    desc: 'Topic that receives messages given up after QUEUE_MAX_DELIVERY_ATTEMPTS',
  }),
  // Pub/Sub allows 5 to 100. With a backoff from 1 s to 10 min, 100 attempts last longer than a night.
  QUEUE_MAX_DELIVERY_ATTEMPTS: integer({
    min: 5,
    max: 100,
    default: 100,
    desc: 'Deliveries of one message before it goes to the dead-letter topic, 5 to 100',
  }),
  QUEUE_BACKOFF_MS_MIN: integer({
    min: 0,
    max: 600_000,
    default: 1_000,
    desc: 'Wait after the first failed delivery, milliseconds; doubles with each further one',
  }),
  QUEUE_BACKOFF_MS_MAX: integer({
    min: 0,
    max: 600_000,
    default: 600_000,
    desc: 'Longest wait between deliveries of one message, milliseconds',
  }),
  // Pub/Sub allows 10 to 600 s; Node's HTTP client gives up waiting for an answer after 300 s.
  QUEUE_ACK_DEADLINE_SECONDS: integer({
    min: 10,
    max: 300,
    default: 60,
    desc: 'How long a delivery may take to be answered, seconds, 10 to 300',
  }),
  QUEUE_PUSH_CONCURRENCY: integer({
    min: 1,
    max: 500,
    default: 8,
    desc: 'Deliveries under way at once per dispatcher (CLOUD=embedded)',
  }),
  PUSH_ENDPOINT: url({
    keepsSlash: true,
    default: undefined,
    desc: 'Address that messages are pushed to, the batch endpoint of priority-api; empty: this process delivers nothing',
    example: 'https://priority-api.example.com/batch-trigger/',
  }),
  PUSH_AUDIENCE: str({
    default: undefined,
    desc: 'Audience of the OIDC token of a push; empty: the endpoint address (CLOUD=google)',
  }),
  PUSH_SERVICE_ACCOUNT: str({
    default: undefined,
    desc: 'Service account that Pub/Sub signs pushes as (CLOUD=google; needed to set up the subscription)',
    example: 'pubsub-push@tradewind-production.iam.gserviceaccount.com',
  }),
  PUBSUB_API_ENDPOINT: str({
    ...emulatorsOnly,
    default: undefined,
    desc: 'host:port of a Pub/Sub emulator (CLOUD=google)',
    example: '127.0.0.1:8085',
  }),
};

/** For the service that receives pushes: priority-api. */
export const pushSettings = {
  ...cloud,
  ...pushToken,
  ...googleSigningKeysSettings,
  PUSH_AUDIENCE: str({
    default: undefined,
    requiredWhen: onGoogle,
    desc: 'Audience that the OIDC token of a push must have (CLOUD=google)',
    example: 'https://priority-api.example.com/batch-trigger/',
  }),
  PUSH_SERVICE_ACCOUNT: str({
    default: undefined,
    requiredWhen: onGoogle,
    desc: 'E-mail address of the service account that signs pushes (CLOUD=google)',
    example: 'pubsub-push@tradewind-production.iam.gserviceaccount.com',
  }),
};

/** For services that use the warehouse: interactions, priority-webhook, coordinator. */
export const warehouseSettings = {
  ...cloud,
  ...googleProject,
  WAREHOUSE_DATABASE_URL: secret({
    default: undefined,
    requiredWhen: onEmbedded,
    desc: 'PostgreSQL database of the warehouse, schema `warehouse` (CLOUD=embedded)',
    example: 'postgres://warehouse@db.example.com/tradewind',
  }),
  WAREHOUSE_POOL_SIZE: integer({
    min: 1,
    max: 100,
    default: 5,
    desc: 'Connections to the warehouse database (CLOUD=embedded)',
  }),
  BIGQUERY_DATASET: str({ default: 'tradewind', desc: 'Dataset of the warehouse tables (CLOUD=google)' }),
  BIGQUERY_LOCATION: str({ default: 'EU', desc: 'Location of a dataset that has to be created (CLOUD=google)' }),
  BIGQUERY_WRITE: choice(['insert_all', 'storage_write'], {
    default: 'insert_all',
    desc: 'How rows are appended: insert_all (REST streaming) or storage_write (gRPC, exactly once) (CLOUD=google)',
  }),
  BIGQUERY_API_ENDPOINT: url({
    ...emulatorsOnly,
    default: undefined,
    desc: 'Address of a BigQuery emulator (CLOUD=google)',
    example: 'http://127.0.0.1:9050',
  }),
  BIGQUERY_STORAGE_API_ENDPOINT: str({
    ...emulatorsOnly,
    default: undefined,
    desc: 'host:port of the emulator of the BigQuery Storage API (CLOUD=google, BIGQUERY_WRITE=storage_write)',
    example: '127.0.0.1:9060',
  }),
};

/** For the service that keeps backups: priority-webhook. */
export const objectStoreSettings = {
  ...cloud,
  ...googleProject,
  OBJECT_STORE_BUCKET: {
    ...str({
      default: profileBackupBucket,
      desc: 'Bucket of the profile backups; names are unique across all of Cloud Storage, so a second installation needs another one',
    }),
    kind: 'bucket name',
    parse: (input: string) => {
      assertBucketName(input);
      return input;
    },
  },
  OBJECT_STORE_DIR: str({
    default: undefined,
    requiredWhen: onEmbedded,
    desc: 'Folder of the object store, one subfolder for each bucket (CLOUD=embedded)',
    example: '/var/lib/tradewind/objects',
  }),
  STORAGE_API_ENDPOINT: url({
    ...emulatorsOnly,
    default: undefined,
    desc: 'Address of a Cloud Storage emulator (CLOUD=google)',
    example: 'http://127.0.0.1:4443',
  }),
};

/** Configuration of the queue as read from the environment; an app's AppConfig that spreads `queueSettings` fits. */
export interface QueueSettings {
  readonly CLOUD: Cloud;
  readonly GOOGLE_CLOUD_PROJECT?: string | undefined;
  readonly QUEUE_PUSH_TOKEN?: string | undefined;
  readonly QUEUE_DATABASE_URL?: string | undefined;
  readonly QUEUE_SUBSCRIPTION: string;
  readonly QUEUE_DEAD_LETTER_TOPIC: string;
  readonly QUEUE_MAX_DELIVERY_ATTEMPTS: number;
  readonly QUEUE_BACKOFF_MS_MIN: number;
  readonly QUEUE_BACKOFF_MS_MAX: number;
  readonly QUEUE_ACK_DEADLINE_SECONDS: number;
  readonly QUEUE_PUSH_CONCURRENCY: number;
  readonly PUSH_ENDPOINT?: string | undefined;
  readonly PUSH_AUDIENCE?: string | undefined;
  readonly PUSH_SERVICE_ACCOUNT?: string | undefined;
  readonly PUBSUB_API_ENDPOINT?: string | undefined;
}

/** Configuration of a receiver of pushes; see `pushSettings`. */
export interface PushSettings {
  readonly CLOUD: Cloud;
  readonly QUEUE_PUSH_TOKEN?: string | undefined;
  readonly PUSH_AUDIENCE?: string | undefined;
  readonly PUSH_SERVICE_ACCOUNT?: string | undefined;
  readonly GOOGLE_SIGNING_KEYS_URL?: string | undefined;
}

/** Configuration of the warehouse; see `warehouseSettings`. */
export interface WarehouseSettings {
  readonly CLOUD: Cloud;
  readonly GOOGLE_CLOUD_PROJECT?: string | undefined;
  readonly WAREHOUSE_DATABASE_URL?: string | undefined;
  readonly WAREHOUSE_POOL_SIZE: number;
  readonly BIGQUERY_DATASET: string;
  readonly BIGQUERY_LOCATION: string;
  readonly BIGQUERY_WRITE: 'insert_all' | 'storage_write';
  readonly BIGQUERY_API_ENDPOINT?: string | undefined;
  readonly BIGQUERY_STORAGE_API_ENDPOINT?: string | undefined;
}

/** Configuration of the object store; see `objectStoreSettings`. */
export interface ObjectStoreSettings {
  readonly CLOUD: Cloud;
  readonly GOOGLE_CLOUD_PROJECT?: string | undefined;
  readonly OBJECT_STORE_DIR?: string | undefined;
  readonly STORAGE_API_ENDPOINT?: string | undefined;
}

/** The value of a setting that the chosen cloud needs. Throws an error that names it when it is missing. */
export function requiredSetting<S extends { readonly CLOUD: Cloud }, Name extends keyof S & string>(
  settings: S,
  name: Name,
): NonNullable<S[Name]> {
  const value = settings[name];
  if (value === undefined || value === null || value === '') {
    throw new Error(`${name} is not set, and CLOUD=${settings.CLOUD} needs it`);
  }
  return value;
}
