import { Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { BackgroundLoop, Logger } from '@tradewind/service-kit';
import { AppConfig } from './app.config.js';
import { JobsStore } from './tracker/jobs.store.js';
import { InboxStore } from './webhook/inbox.store.js';

const intervalMs = 3_600_000;
/** Rows that one statement deletes: a fraction of a second, so that nothing waits for its locks. */
const rowsPerPass = 5_000;

/**
 * Deletes what is kept no longer: processed webhooks after WEBHOOK_KEEP_DAYS, and, where JOB_KEEP_DAYS is set, ended jobs
 * with their left over items. Jobs at work, webhooks not yet processed and the warehouse are never touched.
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
