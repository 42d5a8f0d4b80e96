import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { BackgroundLoop, Logger } from '@tradewind/service-kit';
import { AppConfig } from '../app.config.js';
import { RunsService } from './runs.service.js';

/** A serving process finishes what another one has left: after a crash, a deployment or an outage of the queue. */
@Injectable()
export class ResumeLoop implements OnModuleDestroy {
  private readonly loop: BackgroundLoop;

  constructor(runs: RunsService, config: AppConfig, logger: Logger) {
    this.loop = new BackgroundLoop({
      name: 'resume runs',
      intervalMs: config.RESUME_INTERVAL_MS,
      run: async () => {
        const begun = await runs.resumeUnfinished();
        // An interruption is recorded by the service itself; the next pass tries again.
        await begun?.finished.catch(() => undefined);
      },
      logger,
    });
  }

  start(): void {
    this.loop.start();
  }

  async onModuleDestroy(): Promise<void> {
    await this.loop.stop();
  }
}
