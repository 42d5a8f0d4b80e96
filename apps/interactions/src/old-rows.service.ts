import { Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { BackgroundLoop, Logger } from '@tradewind/service-kit';
import { AppConfig } from './app.config.js';
import { JobsStore } from './tracker/jobs.store.js';
import { InboxStore } from './webhook/inbox.store.js';

const intervalMs = 3_600_000;
/** Most rows that one statement deletes: a fraction of a second, so that nothing waits for its locks. */
const rowsPerPass = 5_000;

/**
 * Deletes processed webhooks after WEBHOOK_KEEP_DAYS. Where JOB_KEEP_DAYS is set, it also deletes ended jobs with their
 * left-over items. It never touches active jobs, webhooks that are not processed yet, or the warehouse.
 */
@Injectable()
export class OldRows implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly loop: BackgroundLoop;

  constructor(
    private readonly jobs: JobsStore,
    private readonly inbox: InboxStore,
    private readonly config: AppConfig,
    logger: Logger,
  ) {
    this.loop = new BackgroundLoop({ name: 'old rows', intervalMs, run: () => this.forget(), logger });
  }

  onApplicationBootstrap(): void {
    this.loop.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.loop.stop();
  }

  private async forget(): Promise<boolean> {
    const days = this.config.JOB_KEEP_DAYS;
    const hasMoreWebhooks = await this.inbox.forget(this.config.WEBHOOK_KEEP_DAYS, rowsPerPass);
    const hasMoreJobs = days > 0 && (await this.jobs.forget(days, rowsPerPass));
    return hasMoreWebhooks || hasMoreJobs;
  }
}
