import { objectStoreSettings, warehouseSettings } from '@tradewind/cloud-ports';
import {
  callerAuthSettings,
  choice,
  configClass,
  databaseSettings,
  integer,
  openApiSettings,
  list,
} from '@tradewind/service-kit';

/** Every environment variable of this app; nothing else reads the environment. */
export class AppConfig extends configClass({
  ...databaseSettings({ schema: 'priority_webhook' }),
  ...callerAuthSettings,
  ...openApiSettings,
  ...warehouseSettings,
  ...objectStoreSettings,
  PROFILE_WEBHOOK_SECRETS: list({
    secret: true,
    devDefault: ['dev-only-profile-webhook-secret'],
    desc: 'Shared secrets of the profile webhook, separated by commas: every one is accepted in the header x-webhook-secret',
  }),
  WEBHOOK_AUTH: choice(['required', 'none'], {
    default: 'required',
    desc: 'Whether a profile webhook must carry its secret; with none, a webhook without one is accepted too (dev only)',
    deployedRule: (value) => (value === 'none' ? 'must be required outside dev' : undefined),
  }),
  DELIVERY_WAIT_MS: integer({
    default: 3_000,
    min: 0,
    desc: 'Longest wait of an answer for warehouse and backup, milliseconds; what is not done by then continues in the background',
  }),
  DELIVERY_QUEUE_MAX: integer({
    // At 300 per second and 10 ms each, three are under way. Beyond eight the stores are the bottleneck, and further
    // writers would only take the disk from the inbox.
    default: 8,
    min: 0,
    desc: 'Received profiles that one replica stores before it answers; further ones are answered at once and stored from the inbox table',
  }),
  STORE_TIMEOUT_MS: integer({
    default: 10_000,
    min: 1,
    desc: 'Longest wait for one write to the warehouse or the object store, milliseconds',
  }),
  STORE_BACKOFF_MS_MIN: integer({
    default: 1_000,
    min: 1,
    desc: 'Wait after the first failed attempt to store a profile, milliseconds; doubles with each further one',
  }),
  STORE_BACKOFF_MS_MAX: integer({ default: 300_000, min: 1, desc: 'Longest wait between two attempts, milliseconds' }),
  LOOP_INTERVAL_MS: integer({
    default: 1_000,
    min: 10,
    desc: 'How often the inbox is searched for profiles that are still to be stored, milliseconds',
  }),
  MONTHS_KEPT: integer({
    default: 3,
    min: 1,
    max: 120,
    desc: 'Full months before the current one whose stored deliveries stay in the inbox table, which recognises repeats and answers month reports. Set it alike in coordinator, priority-api and priority-webhook',
  }),
}) {}
