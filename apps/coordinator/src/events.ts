import { eventsClass } from '@tradewind/service-kit';

/** The business events of this app: each call writes a log line and counts. */
export class AppEvents extends eventsClass('coordinator', {
  run_started: { help: 'Monthly runs begun', labels: ['forced', 'dry_run'] },
  run_resumed: { help: 'Runs resumed after another process had left them', level: 'warn' },
  run_selected: { help: 'Runs whose people are selected and batches numbered' },
  run_completed: {
    help: 'Monthly runs finished',
    histogram: { field: 'seconds', buckets: [1, 5, 15, 60, 300, 900, 3600] },
  },
  run_interrupted: { help: 'Runs that stopped before their end and wait to be resumed', level: 'error' },
  batches_published: {
    help: 'Calls that published batches',
    histogram: { field: 'batches', buckets: [1, 5, 10, 20, 50, 100] },
    level: 'debug',
  },
  retry_requested: { help: 'Retries of a month that were asked for' },
  rows_removed: { help: 'Passes that removed rows of months no longer kept, by table', labels: ['table'] },
  push_delivered: { help: 'Pushes of the embedded queue that were acknowledged', level: 'debug' },
  push_failed: { help: 'Pushes of the embedded queue that were not acknowledged', labels: ['given_up'], level: 'warn' },
}) {}
