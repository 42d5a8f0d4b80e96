import { eventsClass } from '@tradewind/service-kit';

/**
 * The business events of this app: each call writes a log line and counts. The handle is the only personal value here.
 */
export class AppEvents extends eventsClass('interactions', {
  job_accepted: { help: 'Jobs recorded, not yet started', labels: ['entity'] },
  abort_requested: { help: 'Active jobs that a caller asked to abort' },
  start_over_budget: {
    help: 'Jobs refused because the monthly budget of the company had no room for them',
    countedBy: 'count',
    level: 'warn',
  },
  budget_changed: { help: 'Changes of the budget of a company' },
  run_started: { help: 'Runs started at the provider', labels: ['entity'] },
  run_adopted: { help: 'Runs whose start had an unknown outcome and that were found at the provider' },
  run_orphaned: { help: 'Runs at the provider that no job needs; they are aborted. Expected: zero', level: 'error' },
  run_completed: { help: 'Runs whose items are stored' },
  run_failed: { help: 'Jobs that became FAILED', labels: ['reason'] },
  run_cost_unknown: {
    help: 'Runs whose final cost the provider did not say; what was known before counts',
    level: 'warn',
  },
  run_aborted: { help: 'Jobs that became ABORTED' },
  provider_call: { help: 'Calls to the provider by outcome', labels: ['operation', 'outcome'], level: 'debug' },
  items_stored: {
    help: 'Items stored in the warehouse, by kind',
    labels: ['kind'],
    countedBy: 'count',
    histogram: { field: 'count', buckets: [1, 10, 100, 1_000, 10_000, 100_000] },
  },
  items_left_over: {
    help: 'Items that fit no table and are kept beside them, by reason',
    labels: ['reason'],
    countedBy: 'count',
    histogram: { field: 'count', buckets: [1, 10, 100, 1_000, 10_000, 100_000] },
  },
  webhook_received: { help: 'Completion webhooks by what became of them', labels: ['outcome'], level: 'debug' },
  webhook_replayed: { help: 'Webhooks that an administrator let be processed once more' },
  jobs_re_run: { help: 'Failed jobs that an administrator let start again', countedBy: 'count' },
  rows_removed: { help: 'Passes that removed rows that are no longer kept, by table', labels: ['table'] },
  data_stored: {
    help: 'Time from the trigger to the data in the warehouse, seconds',
    histogram: { field: 'seconds', buckets: [5, 15, 60, 300, 600, 1200, 3600, 14400] },
  },
}) {}
