// Which rows of this service are removed, and when (docs/decisions/0055-months-kept.md).
import { Injectable } from '@nestjs/common';
import { BackgroundWork, Db, registerRetention } from '@tradewind/service-kit';
import { oldestKeptMonth } from '@tradewind/shared-types';
import { AppConfig } from './app.config.js';
import { BatchMessagesStore } from './batches/batch-messages.store.js';
import { DeadLettersStore } from './dead-letters/dead-letters.store.js';
import { AppEvents } from './events.js';
import { ProfileCallsStore } from './profile-calls/profile-calls.store.js';

/** Rows of one transaction: a few milliseconds of locks. */
const batchRows = 1000;

/** Removes settled profiles, messages and handled dead letters of months that are no longer kept. */
@Injectable()
export class Retention {
  constructor(
    background: BackgroundWork,
    db: Db,
    calls: ProfileCallsStore,
    messages: BatchMessagesStore,
    deadLetters: DeadLettersStore,
    config: AppConfig,
    events: AppEvents,
  ) {
    const oldest = () => oldestKeptMonth(new Date(), config.MONTHS_KEPT);
    registerRetention(background, {
      db,
      batchRows,
      steps: [
        { table: 'profile_call', remove: (tx, limit) => calls.removeSettled(tx, oldest(), limit) },
        {
          table: 'batch_message',
          remove: (tx, limit) => messages.removeLastReceivedBefore(tx, oldest().start, limit),
        },
        {
          table: 'dead_letter',
          remove: (tx, limit) => deadLetters.removeHandledBefore(tx, oldest().start, limit),
        },
      ],
      onRemoved: (table, rows) => events.emit('rows_removed', { table, rows }),
    });
  }
}
