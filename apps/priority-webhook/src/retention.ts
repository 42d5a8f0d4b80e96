// Which rows of this service are removed, and when (docs/decisions/0055-months-kept.md).
import { Injectable } from '@nestjs/common';
import { BackgroundWork, Db, registerRetention } from '@tradewind/service-kit';
import { oldestKeptMonth } from '@tradewind/shared-types';
import { AppConfig } from './app.config.js';
import { AppEvents } from './events.js';
import { DeliveriesStore } from './deliveries/deliveries.store.js';
import { UnusablePayloadsStore } from './unusable/unusable-payloads.store.js';

/** Rows of one transaction: a few milliseconds of locks. */
const batchRows = 1000;

/** Removes, of months that are no longer kept, finished deliveries and payloads that nobody could use. */
@Injectable()
export class Retention {
  constructor(
    background: BackgroundWork,
    db: Db,
    deliveries: DeliveriesStore,
    unusable: UnusablePayloadsStore,
    config: AppConfig,
    events: AppEvents,
  ) {
    const oldest = () => oldestKeptMonth(new Date(), config.MONTHS_KEPT);
    registerRetention(background, {
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
    });
  }
}
