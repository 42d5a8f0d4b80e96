import { googleSigningKeysSettings, queueSettings, warehouseSettings } from '@tradewind/cloud-ports';
import {
  callerAuthSettings,
  configClass,
  databaseSettings,
  integer,
  number,
  openApiSettings,
  str,
  url,
} from '@tradewind/service-kit';

/** Every environment variable of this app; nothing else reads the environment. */
export class AppConfig extends configClass({
  ...databaseSettings({ schema: 'coordinator' }),
  // Numbering the batches of a million people is one statement; the kit's default of 15 s would end it.
  DATABASE_STATEMENT_TIMEOUT_MS: integer({
    default: 300_000,
    min: 1,
    desc: 'Longest run of one statement before the database cancels it, milliseconds',
  }),
  ...callerAuthSettings,
  ...openApiSettings,
  ...queueSettings,
  ...warehouseSettings,
  SCHEDULER_AUDIENCE: str({
    default: undefined,
    desc: 'Audience of the OIDC token with which Cloud Scheduler calls POST /run; empty: no such token is accepted (CLOUD=google)',
    example: 'https://coordinator.example.com/run',
  }),
  SCHEDULER_SERVICE_ACCOUNT: str({
    default: undefined,
    desc: 'E-mail address of the service account of Cloud Scheduler (CLOUD=google)',
    example: 'scheduler@tradewind-production.iam.gserviceaccount.com',
  }),
  ...googleSigningKeysSettings,
  PRIORITY_API_URL: url({
    devDefault: 'http://127.0.0.1:4003',
    example: 'http://priority-api:8080',
    desc: 'Inner address of priority-api, which is asked for the month report',
  }),
  PRIORITY_WEBHOOK_URL: url({
    devDefault: 'http://127.0.0.1:4004',
    example: 'http://priority-webhook:8080',
    desc: 'Inner address of priority-webhook, which is asked for the month report',
  }),
  BATCH_PROFILES: integer({ default: 100, min: 1, max: 1_000, desc: 'Profiles in one batch message' }),
  READ_PAGE_PEOPLE: integer({ default: 5_000, min: 1, desc: 'Priority people read from the warehouse at a time' }),
  PUBLISH_CHUNK_BATCHES: integer({
    default: 20,
    min: 1,
    desc: 'Batches published by one call; twice as many are in memory at most',
  }),
  MONTHS_KEPT: integer({
    default: 3,
    min: 1,
    max: 120,
    desc: 'Full months before the current one whose batches are kept, for month reports and so that nothing is published twice. Set it alike in coordinator, priority-api and priority-webhook',
  }),
  PROFILE_COST_USD: number({
    default: undefined,
    min: 0,
    max: 1_000,
    desc: 'What the scrape of one profile costs, US dollars, for the plan of a retry; plans show no cost when unset. Set it alike in coordinator and priority-api',
  }),
  RESUME_INTERVAL_MS: integer({
    default: 5_000,
    min: 10,
    desc: 'How often a serving process looks for a run that another process left unfinished, milliseconds',
  }),
}) {}
