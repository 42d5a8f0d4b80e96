// Which rows of this service are removed, and when (docs/decisions/0055-months-kept.md).
import { Injectable } from '@nestjs/common';
import { BackgroundWork, Db, registerRetention } from '@tradewind/service-kit';
import { oldestKeptMonth } from '@tradewind/shared-types';
import { AppConfig } from './app.config.js';
import { AppEvents } from './events.js';
import { RunsStore } from './runs/runs.store.js';

/** Rows of one transaction: a few megabytes of messages. */
const batchRows = 200;

/** Removes the batches of completed runs of months that are no longer kept. */
@Injectable()
export class Retention {
  constructor(background: BackgroundWork, db: Db, runs: RunsStore, config: AppConfig, events: AppEvents) {
    const oldest = () => oldestKeptMonth(new Date(), config.MONTHS_KEPT);
    registerRetention(background, {
      db,
      batchRows,
      steps: [{ table: 'run_batch', remove: (tx, limit) => runs.removeBatches(tx, oldest(), limit) }],
      onRemoved: (table, rows) => events.emit('rows_removed', { table, rows }),
    });
  }
}
