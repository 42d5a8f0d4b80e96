import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { BackgroundLoop, Logger } from '@tradewind/service-kit';
import { AppConfig } from '../app.config.js';
import { ProfileStarter } from './profile-starter.js';
import { UnsettledCalls } from './unsettled-calls.js';

/** A pass of the starting loop ends after this long, so that a stop is never far, milliseconds. */
const passMs = 60_000;

/** Background work of a serving process: starts what is due, and settles starts whose outcome is unknown. */
@Injectable()
export class StartLoops implements OnModuleDestroy {
  private readonly starting: BackgroundLoop;
  private readonly loops: BackgroundLoop[];

  constructor(starter: ProfileStarter, unsettled: UnsettledCalls, config: AppConfig, logger: Logger) {
    const intervalMs = config.LOOP_INTERVAL_MS;
    this.starting = new BackgroundLoop({
      name: 'start profiles',
      intervalMs,
      run: async (signal) => {
        await starter.start({ deadline: new Date(Date.now() + passMs), signal });
      },
      logger,
    });
    this.loops = [
      this.starting,
      new BackgroundLoop({ name: 'unsettled starts', intervalMs, run: () => unsettled.settle(), logger }),
    ];
  }

  start(): void {
    for (const loop of this.loops) loop.start();
  }

  /** There is something to start. */
  wake(): void {
    this.starting.wake();
  }

  async onModuleDestroy(): Promise<void> {
    await Promise.all(this.loops.map((loop) => loop.stop()));
  }
}
