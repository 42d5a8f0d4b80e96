// Which rows of this service are removed, and when (docs/decisions/0055-months-kept.md).
import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { Db, Logger, RetentionLoop } from '@tradewind/service-kit';
import { oldestKeptMonth } from '@tradewind/shared-types';
import { AppConfig } from './app.config.js';
import { AppEvents } from './events.js';
import { RunsStore } from './runs/runs.store.js';

/** Rows of one transaction: a few megabytes of messages. */
const batchRows = 200;

/** Batches of completed runs of months that are kept no longer. */
@Injectable()
export class Retention implements OnModuleDestroy {
  private readonly loop: RetentionLoop;

  constructor(db: Db, runs: RunsStore, config: AppConfig, events: AppEvents, logger: Logger) {
    const oldest = () => oldestKeptMonth(new Date(), config.MONTHS_KEPT);
    this.loop = new RetentionLoop({
      db,
      batchRows,
      steps: [{ table: 'run_batch', remove: (tx, limit) => runs.removeBatches(tx, oldest(), limit) }],
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
