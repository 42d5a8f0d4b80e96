import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { BackgroundLoop, Logger } from '@tradewind/service-kit';
import { AppConfig } from '../app.config.js';
import { DeliveryWatch } from './delivery-watch.js';

/** Background work of a serving process: watches for what never came. */
@Injectable()
export class WatchLoop implements OnModuleDestroy {
  private readonly loop: BackgroundLoop;

  constructor(watch: DeliveryWatch, config: AppConfig, logger: Logger) {
    this.loop = new BackgroundLoop({
      name: 'watch deliveries',
      intervalMs: config.WATCH_INTERVAL_MS,
      run: () => watch.pass(),
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
