import { Injectable } from '@nestjs/common';
import { BackgroundWork, Db, registerRetention, type RetentionStep } from '@tradewind/service-kit';
import { AppConfig } from './app.config.js';
import { AppEvents } from './events.js';
import { JobsStore } from './tracker/jobs.store.js';
import { InboxStore } from './webhook/inbox.store.js';

/** Rows of one transaction: a fraction of a second, so that nothing waits for its locks. */
const batchRows = 5_000;

/**
 * Removes processed webhooks after WEBHOOK_KEEP_DAYS. Where JOB_KEEP_DAYS is set, it also removes ended jobs with their
 * left-over items. It never touches active jobs, webhooks that are not processed yet, or the warehouse.
 */
@Injectable()
export class Retention {
  constructor(
    background: BackgroundWork,
    db: Db,
    jobs: JobsStore,
    inbox: InboxStore,
    { WEBHOOK_KEEP_DAYS, JOB_KEEP_DAYS }: AppConfig,
    events: AppEvents,
  ) {
    // Tables without the suffix of the environment: environments that share a schema take turns.
    const webhooks: RetentionStep = {
      table: 'webhook_inbox',
      remove: (tx, limit) => inbox.removeProcessed(tx, WEBHOOK_KEEP_DAYS, limit),
    };
    const endedJobs: RetentionStep = {
      table: 'network_interactions_tracker',
      remove: (tx, limit) => jobs.removeEnded(tx, JOB_KEEP_DAYS, limit),
    };
    registerRetention(background, {
      db,
      batchRows,
      steps: JOB_KEEP_DAYS > 0 ? [webhooks, endedJobs] : [webhooks],
      onRemoved: (table, rows) => events.emit('rows_removed', { table, rows }),
    });
  }
}
