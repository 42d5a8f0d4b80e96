import { pushSettings } from '@tradewind/cloud-ports';
import { providerSettings } from '@tradewind/scraping-provider';
import {
  callerAuthSettings,
  choice,
  configClass,
  databaseSettings,
  httpsOnly,
  integer,
  list,
  number,
  openApiSettings,
  url,
} from '@tradewind/service-kit';

/** Every environment variable of this app; nothing else reads the environment. */
export class AppConfig extends configClass({
  ...databaseSettings({ schema: 'priority_api' }),
  ...callerAuthSettings,
  ...openApiSettings,
  ...pushSettings,
  ...providerSettings,
  PUSH_AUTH: choice(['required', 'none'], {
    default: 'required',
    desc: 'Whether a push must carry the token of the queue; with none, a push without one is accepted too (dev only)',
    deployedRule: (value) => (value === 'none' ? 'must be required outside dev' : undefined),
  }),
  PROFILE_WEBHOOK_URL: url({
    devDefault: 'http://127.0.0.1:4004/webhook/network',
    example: 'https://priority-webhook.example.com/webhook/network',
    desc: 'Address at which the provider delivers scraped profiles: the webhook of priority-webhook',
    productionRule: httpsOnly,
  }),
  PROFILE_WEBHOOK_SECRETS: list({
    secret: true,
    devDefault: ['dev-only-profile-webhook-secret'],
    desc: 'Shared secrets of the profile webhook, separated by commas; the first is given to the provider',
  }),
  PRIORITY_WEBHOOK_URL: url({
    devDefault: 'http://127.0.0.1:4004',
    example: 'http://priority-webhook:8080',
    desc: 'Inner address of priority-webhook, which is asked whether started profiles have arrived',
  }),
  BATCH_PROFILES_MAX: integer({
    default: 100,
    min: 1,
    desc: 'Most profiles in one batch message; a larger one is kept as a dead letter',
  }),
  PUSH_BUDGET_MS: integer({
    default: 8_000,
    min: 0,
    desc: 'How long a push is kept open to start its profiles, milliseconds; the rest is started in the background. Stay below the ack deadline of the queue',
  }),
  START_PARALLEL: integer({
    default: 16,
    min: 1,
    desc: 'Starts that one replica has on their way to the provider at once',
  }),
  START_SETTLE_MS: integer({
    default: 5_000,
    min: 0,
    desc: 'After the provider answered a start with an error: how long a scrape may still appear, milliseconds',
  }),
  START_SETTLE_SILENT_MS: integer({
    default: 60_000,
    min: 0,
    desc: 'After a start got no answer: how long past the time limit of the call a scrape may still appear, milliseconds',
  }),
  START_BACKOFF_MS: integer({
    default: 1_000,
    min: 1,
    desc: 'Wait after the first start with unknown outcome that began nothing, milliseconds; doubles each time up to a minute',
  }),
  START_ATTEMPTS: integer({
    default: 20,
    min: 1,
    desc: 'Starts with unknown outcome after which a profile is given up until an operator retries it; waiting for capacity does not count',
  }),
  LOOP_INTERVAL_MS: integer({
    default: 1_000,
    min: 10,
    desc: 'How often the background looks for profiles that are due, milliseconds',
  }),
  WATCH_INTERVAL_MS: integer({
    default: 15_000,
    min: 10,
    desc: 'How often priority-webhook is asked about started profiles, milliseconds',
  }),
  MONTHS_KEPT: integer({
    default: 3,
    min: 1,
    max: 120,
    desc: 'Full months before the current one whose profiles and messages are kept, which makes repeats harmless and answers month reports. Set it alike in coordinator, priority-api and priority-webhook',
  }),
  PROFILE_COST_USD: number({
    default: undefined,
    min: 0,
    max: 1_000,
    desc: 'What the scrape of one profile costs, US dollars, for the plan of a redrive; plans show no cost when unset. Set it alike in coordinator and priority-api',
  }),
  DELIVERY_OVERDUE_SECONDS: integer({
    default: 1_800,
    min: 1,
    desc: 'Age at which a started profile that has not arrived is looked up at the provider, seconds; data usually takes 5 to 20 minutes',
  }),
  RETRY_OVERDUE_SECONDS: integer({
    default: 7_200,
    min: 1,
    desc: 'Age at which a scrape that the provider has not ended counts as lost, so that a retry may start its profile again, seconds. Six times the longest usual scrape, since a second start is paid for. Looked at from DELIVERY_OVERDUE_SECONDS on',
  }),
}) {}
