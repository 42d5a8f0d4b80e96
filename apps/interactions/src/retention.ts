import { Injectable } from '@nestjs/common';
import { BackgroundWork, retentionIntervalMs } from '@tradewind/service-kit';
import { AppConfig } from './app.config.js';
import { JobsStore } from './tracker/jobs.store.js';
import { InboxStore } from './webhook/inbox.store.js';

/** Most rows that one statement deletes: a fraction of a second, so that nothing waits for its locks. */
const rowsPerPass = 5_000;

/**
 * Deletes processed webhooks after WEBHOOK_KEEP_DAYS. Where JOB_KEEP_DAYS is set, it also deletes ended jobs with their
 * left-over items. It never touches active jobs, webhooks that are not processed yet, or the warehouse.
 */
@Injectable()
export class Retention {
  constructor(
    private readonly jobs: JobsStore,
    private readonly inbox: InboxStore,
    private readonly config: AppConfig,
    background: BackgroundWork,
  ) {
    background.every({ name: 'retention', intervalMs: retentionIntervalMs, run: () => this.pass() });
  }

  /** True when more is left to delete. */
  private async pass(): Promise<boolean> {
    const days = this.config.JOB_KEEP_DAYS;
    const hasMoreWebhooks = await this.inbox.forget(this.config.WEBHOOK_KEEP_DAYS, rowsPerPass);
    const hasMoreJobs = days > 0 && (await this.jobs.forget(days, rowsPerPass));
    return hasMoreWebhooks || hasMoreJobs;
  }
}
