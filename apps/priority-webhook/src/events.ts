import { eventsClass } from '@tradewind/service-kit';

/**
 * The business events of this app: each call writes a log line and counts. The handle is the only personal value here.
 */
export class AppEvents extends eventsClass('priority-webhook', {
  profile_received: { help: 'Profile webhooks kept in the inbox, by status', labels: ['status'], level: 'debug' },
  profile_repeated: { help: 'Profile webhooks that had been received before', level: 'debug' },
  unusable_dropped: { help: 'Unusable webhooks that a person put aside' },
  profile_unusable: { help: 'Profile webhooks refused, by reason', labels: ['reason'], level: 'warn' },
  profile_stored: {
    help: 'Profiles that reached warehouse and backup; time from the webhook, seconds',
    histogram: { field: 'seconds', buckets: [0.01, 0.05, 0.1, 0.5, 1, 5, 30, 300, 3600, 86_400] },
    level: 'debug',
  },
  rows_removed: { help: 'Passes that removed rows of months no longer kept, by table', labels: ['table'] },
  store_failed: { help: 'Failed attempts to write a profile, by target', labels: ['target'], level: 'warn' },
}) {}
