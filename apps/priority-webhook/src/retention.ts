// Which rows of this service are removed, and when (docs/decisions/0055-months-kept.md).
import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { Db, Logger, RetentionLoop } from '@tradewind/service-kit';
import { oldestKeptMonth } from '@tradewind/shared-types';
import { AppConfig } from './app.config.js';
import { AppEvents } from './events.js';
import { DeliveriesStore } from './inbox/deliveries.store.js';
import { UnusablePayloadsStore } from './unusable/unusable-payloads.store.js';

/** Rows of one transaction: a few milliseconds of locks. */
const batchRows = 1000;

/** Deliveries that are stored and backed up, and payloads nobody could use, of months that are kept no longer. */
@Injectable()
export class Retention implements OnModuleDestroy {
  private readonly loop: RetentionLoop;

  constructor(
    db: Db,
    deliveries: DeliveriesStore,
    unusable: UnusablePayloadsStore,
    config: AppConfig,
    events: AppEvents,
    logger: Logger,
  ) {
    const oldest = () => oldestKeptMonth(new Date(), config.MONTHS_KEPT);
    this.loop = new RetentionLoop({
      db,
      batchRows,
      steps: [
        { table: 'delivery', remove: (tx, limit) => deliveries.removeFinished(tx, oldest(), limit) },
        {
          table: 'unusable_payload',
          remove: (tx, limit) => unusable.removeLastReceivedBefore(tx, oldest().start, limit),
        },
      ],
      onRemoved: (table, rows) => events.emit('rows_removed', { table, rows }),
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
