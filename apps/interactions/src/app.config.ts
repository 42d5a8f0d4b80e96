import { warehouseSettings } from '@tradewind/cloud-ports';
import { providerSettings } from '@tradewind/scraping-provider';
import {
  callerAuthSettings,
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
  ...databaseSettings({ schema: 'interactions' }),
  ...callerAuthSettings,
  ...openApiSettings,
  ...providerSettings,
  ...warehouseSettings,
  WEBHOOK_BASE_URL: url({
    devDefault: 'http://127.0.0.1:4002',
    example: 'https://interactions.example.com',
    desc: 'Address under which the scraping provider reaches this service, without path',
    productionRule: httpsOnly,
  }),
  WEBHOOK_SECRETS: list({
    secret: true,
    devDefault: ['dev-only-webhook-secret'],
    desc: 'Shared secrets of the completion webhook, comma separated: the first is given to new runs, all are accepted',
  }),
  // More targets than the maximum would exceed the fields that a body may have.
  MAX_TARGETS: integer({ default: 100, min: 1, max: 1000, desc: 'Most targets in one request' }),
  // What one request may ask for. Reactions and comments are counted for each post.
  MAX_POSTS: integer({ default: 1_000, min: 1, desc: 'Largest max_posts of a request' }),
  MAX_REACTIONS: integer({ default: 1_000, min: 1, desc: 'Largest max_reactions of a request' }),
  MAX_COMMENTS: integer({ default: 1_000, min: 1, desc: 'Largest max_comments of a request' }),
  // What one run may cost, whatever was asked for; also the end of "unlimited". At 2 US dollars for a thousand items
  // both mean about the same, and a usual request has some hundred items.
  RUN_ITEMS_MAX: integer({
    default: 25_000,
    min: 1,
    desc: 'Most items of one run, sent to the provider with each start; actors that are paid by result stop there',
  }),
  RUN_CHARGE_USD_MAX: integer({
    default: 50,
    min: 1,
    desc: 'Most that one run may cost, US dollars, sent to the provider with each start; actors that are paid by event stop there',
  }),
  RUN_ITEM_COST_USD: number({
    // Half more than an item usually costs: some items are stored twice, and the start costs too.
    default: 0.003,
    min: 0,
    desc: 'What one item of a run may cost, US dollars; until its cost is known, a run counts against the budget with all items it asks for',
  }),
  COMPANY_BUDGET_USD: number({
    default: undefined,
    min: 0,
    max: 999_999_999,
    desc: 'Most that the runs of one company may cost in a month (UTC), US dollars; unlimited when unset. The command budget sets another for one company',
  }),
  COST_SETTLE_SECONDS: integer({
    default: 600,
    min: 1,
    desc: 'How long after the end of a run its cost is read once more, since the provider may correct it, seconds',
  }),
  ANSWER_BUDGET_MS: integer({
    default: 25_000,
    min: 0,
    desc: 'Longest wait of a trigger or abort answer for the provider, milliseconds; what is not settled by then continues in the background',
  }),
  START_PARALLEL: integer({
    default: 16,
    min: 1,
    desc: 'Starts that one replica has on their way to the provider at once',
  }),
  START_ATTEMPTS: integer({
    default: 8,
    min: 1,
    desc: 'Failed starts after which a job becomes FAILED; waiting for a provider that is full or cannot be reached is not a failure',
  }),
  START_BACKOFF_MS: integer({
    default: 1_000,
    min: 1,
    desc: 'Wait after the first failed start, milliseconds; doubles each time up to a minute',
  }),
  START_SETTLE_MS: integer({
    default: 5_000,
    min: 0,
    desc: 'After the provider answered a start with an error: how long a run may still appear in its list, milliseconds',
  }),
  START_SETTLE_SILENT_MS: integer({
    default: 60_000,
    min: 0,
    desc: 'After a start got no answer: how long past the time limit of the call a run may still appear, milliseconds',
  }),
  START_GIVE_UP_SECONDS: integer({
    default: 21_600,
    min: 1,
    desc: 'Longest wait for a provider that is full or cannot be reached before a job becomes FAILED, seconds',
  }),
  FOLLOW_INTERVAL_MS: integer({
    default: 5_000,
    min: 10,
    desc: 'How often a young run is looked up at the provider, milliseconds; older runs three and twelve times more rarely',
  }),
  FOLLOW_PARALLEL: integer({ default: 8, min: 1, desc: 'Look-ups of runs that one replica makes at once' }),
  STORE_PARALLEL: integer({
    // Most runs are one page, which takes tens of milliseconds, and much longer in BigQuery.
    default: 8,
    min: 1,
    desc: 'Runs whose items one replica stores at once; each holds a page in memory, one or two runs hold two',
  }),
  ITEM_PAGE_SIZE: integer({
    default: 500,
    min: 1,
    desc: 'Items read from the provider and written to the warehouse at a time',
  }),
  LOOP_INTERVAL_MS: integer({
    default: 1_000,
    min: 10,
    desc: 'How often the background loops look for work of other replicas, milliseconds',
  }),
  LEASE_SECONDS: integer({
    default: 60,
    min: 1,
    desc: 'Time after which the work of a replica that fell silent is taken over, seconds',
  }),
  WEBHOOK_KEEP_DAYS: integer({
    default: 30,
    min: 1,
    desc: 'How long processed webhooks are kept for inspection, days',
  }),
  JOB_KEEP_DAYS: integer({
    default: 0,
    min: 0,
    desc: 'How long ended jobs and their left-over items are kept, days; 0 keeps them for ever. The warehouse is not affected',
  }),
}) {}
