import type { BackgroundWork } from './background-work.js';
import type { Db, Tx } from './database/db.js';

/** How often old rows are removed, milliseconds. Rows are kept for months or days, so an hour is no delay. */
export const retentionIntervalMs = 3_600_000;

export interface RetentionStep {
  /** What is removed, for the lock and the log: a table of this service. */
  table: string;
  /** Removes at most `limit` rows in one short statement, oldest first; returns how many. */
  remove: (tx: Tx, limit: number) => Promise<number>;
}

export interface RetentionOptions {
  db: Db;
  steps: readonly RetentionStep[];
  /** Pause between passes, milliseconds; an hour by default. */
  intervalMs?: number;
  /** Rows of one transaction. */
  batchRows: number;
  /** Called after each pass for each table from which rows were removed. */
  onRemoved: (table: string, rows: number) => void;
}

/**
 * Removes old rows in the background. Each batch is a transaction of its own, so that no lock is held for long. One
 * replica works at a time, since two would only wait for each other. After a kill the next pass goes on.
 */
export function registerRetention(background: BackgroundWork, options: RetentionOptions): void {
  background.every({
    name: 'retention',
    intervalMs: options.intervalMs ?? retentionIntervalMs,
    run: (signal) => removeOldRows(options, signal),
  });
}

async function removeOldRows(options: RetentionOptions, signal: AbortSignal): Promise<void> {
  for (const step of options.steps) {
    let rows = 0;
    try {
      for (let removed = Infinity; removed >= options.batchRows && !signal.aborted; rows += removed) {
        removed = await removeBatch(options, step);
      }
    } finally {
      if (rows > 0) options.onRemoved(step.table, rows);
    }
  }
}

/** 0 also while another replica works on this table. */
function removeBatch({ db, batchRows }: RetentionOptions, { table, remove }: RetentionStep): Promise<number> {
  return db.transaction(async (tx) => {
    const [lock] = await tx.rows<{ is_ours: boolean }>(
      `select pg_try_advisory_xact_lock(hashtextextended('retention of ' || current_schema() || '.' || $1, 0)) as is_ours`,
      [table],
    );
    return lock?.is_ours ? remove(tx, batchRows) : 0;
  });
}
