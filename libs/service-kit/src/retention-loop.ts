import { BackgroundLoop } from './background-loop.js';
import type { Db } from './database/db.js';
import type { Logger } from './logger.js';
import type { RetentionStep } from './retention.js';

/** How often anything is removed; a month key changes twelve times a year, so an hour is no delay, milliseconds. */
const intervalMs = 3_600_000;

/**
 * Removes old rows in the background: a batch for each transaction, so that nothing waits long for a lock, and one
 * replica at a time, since two would only wait for each other. A kill in the middle loses nothing: the next pass goes
 * on.
 */
export class RetentionLoop {
  private readonly loop: BackgroundLoop;

  constructor(
    private readonly options: {
      db: Db;
      steps: readonly RetentionStep[];
      /** Rows of one transaction. */
      batchRows: number;
      /** Called after each pass for each table of which something was removed. */
      onRemoved: (table: string, rows: number) => void;
      logger: Logger;
    },
  ) {
    this.loop = new BackgroundLoop({
      name: 'remove old rows',
      intervalMs,
      run: (signal) => this.pass(signal),
      logger: options.logger,
    });
  }

  start(): void {
    this.loop.start();
  }

  stop(): Promise<void> {
    return this.loop.stop();
  }

  /** One pass over all tables. */
  async pass(signal?: AbortSignal): Promise<void> {
    for (const step of this.options.steps) {
      let rows = 0;
      try {
        for (let removed = Infinity; removed >= this.options.batchRows && !signal?.aborted; rows += removed) {
          removed = await this.removeBatch(step);
        }
      } finally {
        if (rows > 0) this.options.onRemoved(step.table, rows);
      }
    }
  }

  /** 0 also while another replica is at this table: it finishes the work. */
  private removeBatch({ table, remove }: RetentionStep): Promise<number> {
    const { db, batchRows } = this.options;
    return db.transaction(async (tx) => {
      const [lock] = await tx.rows<{ is_ours: boolean }>(
        `select pg_try_advisory_xact_lock(hashtextextended('retention of ' || current_schema() || '.' || $1, 0)) as is_ours`,
        [table],
      );
      return lock?.is_ours ? remove(tx, batchRows) : 0;
    });
  }
}
