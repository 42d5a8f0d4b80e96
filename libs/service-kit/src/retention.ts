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

/** A batch of each table in turn, so that neither a full table nor a failing one keeps the others waiting. */
async function removeOldRows(options: RetentionOptions, signal: AbortSignal): Promise<void> {
  const removed = new Map<string, number>();
  const failures: unknown[] = [];
  let unfinished = options.steps;
  while (unfinished.length > 0 && !signal.aborted) {
    const full: RetentionStep[] = [];
    for (const step of unfinished) {
      if (signal.aborted) break;
      try {
        const rows = await removeBatch(options, step);
        removed.set(step.table, (removed.get(step.table) ?? 0) + rows);
        if (rows >= options.batchRows) full.push(step);
      } catch (error) {
        failures.push(error);
      }
    }
    unfinished = full;
  }
  for (const [table, rows] of removed) if (rows > 0) options.onRemoved(table, rows);
  if (failures.length > 0) throw failures.length === 1 ? failures[0] : new AggregateError(failures, 'retention failed');
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
