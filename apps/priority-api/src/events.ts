import { eventsClass } from '@tradewind/service-kit';

/**
 * The business events of this app: each call writes a log line and counts. The handle is the only personal value here.
 */
export class AppEvents extends eventsClass('priority-api', {
  batch_received: { help: 'Batch messages received; repeated: seen before', labels: ['repeated'] },
  dead_letter_redriven: { help: 'Dead letters that were received again' },
  dead_letter_dropped: { help: 'Dead letters that a person dropped' },
  batch_dead_lettered: {
    help: 'Messages, or parts of them, kept as dead letters, by reason',
    labels: ['reason'],
    level: 'warn',
  },
  profile_started: { help: 'Scrapes started at the provider', level: 'debug' },
  profile_adopted: { help: 'Scrapes whose start had an unknown outcome and that were found at the provider' },
  profile_refused: { help: 'Profiles that the provider refused, or whose starts were given up', level: 'warn' },
  provider_call: { help: 'Starts at the provider by outcome', labels: ['outcome'], level: 'debug' },
  provider_paused: { help: 'Pauses in starting, by kind', labels: ['kind'], level: 'warn' },
  retry_requested: { help: 'Retries of profiles that were asked for' },
  rows_removed: { help: 'Passes that removed rows of months no longer kept, by table', labels: ['table'] },
  profile_lost: { help: 'Overdue scrapes that are lost; a retry may start their profiles again', level: 'warn' },
  profile_recovered: { help: 'Scraped profiles whose webhook never came, fetched from the provider and handed on' },
}) {}
