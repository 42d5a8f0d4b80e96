import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { BackgroundLoop, Logger } from '@tradewind/service-kit';
import { AppConfig } from '../app.config.js';
import { AppEvents } from '../events.js';
import { DeliveriesStore } from '../inbox/deliveries.store.js';
import { ProfileStoringService } from './profile-storing.service.js';

/** Deliveries taken from the inbox at a time: their statements and commits are shared by all of them. */
const passRows = 200;
/** Beyond these bytes of bodies a pass takes no further delivery: what it holds in memory stays bounded. */
const passBytes = 8 * 2 ** 20;

/** Background work of a serving process: what was not stored at once is stored later. */
@Injectable()
export class StoringLoop implements OnModuleDestroy {
  private readonly loop: BackgroundLoop;

  constructor(
    private readonly store: DeliveriesStore,
    private readonly storing: ProfileStoringService,
    private readonly config: AppConfig,
    logger: Logger,
    events: AppEvents,
  ) {
    events.gauge(
      'oldest_undelivered_profile_seconds',
      'Age of the oldest received profile that is not both stored and backed up',
      () => store.oldestUnfinishedSeconds(),
    );
    this.loop = new BackgroundLoop({
      name: 'store profiles',
      intervalMs: config.LOOP_INTERVAL_MS,
      run: () => this.storeDue(),
      logger,
    });
  }

  start(): void {
    this.loop.start();
  }

  /** One pass over the inbox; true when there may be more. */
  async storeDue(): Promise<boolean> {
    const due = await this.store.claimDue({ rows: passRows, bytes: passBytes }, leaseMs(this.config));
    if (due.length === 0) return false;
    const results = await this.storing.workOff(due);
    const bytes = due.reduce((sum, { body }) => sum + Buffer.byteLength(body), 0);
    // After a failure the loop pauses: the place that failed gets a moment.
    return (
      (due.length === passRows || bytes >= passBytes) &&
      results.every(({ isStored, isBackedUp }) => isStored && isBackedUp)
    );
  }

  async onModuleDestroy(): Promise<void> {
    await this.loop.stop();
    // Attempts that outlived their answers end before the database closes.
    await this.storing.settle();
  }
}

/**
 * For so long a delivery belongs to the process that has it in hand: the time limit of the attempt before it, when it was
 * just received, and of its own, and the record of it.
 */
export function leaseMs(config: AppConfig): number {
  return 2 * config.STORE_TIMEOUT_MS + 5_000;
}
