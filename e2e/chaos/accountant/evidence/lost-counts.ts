import type { FaultWindow } from '../../log/log.types.js';

/** The gateway does not wait for the disk when it counts, so a crash of PostgreSQL loses the counts of a moment. */
const unwrittenMs = 2_000;

/** How many of these calls the counters may have lost. */
export function lostCountsOf(calls: readonly { atMs: number }[], faults: readonly FaultWindow[]): number {
  const crashes = faults.filter(({ kind, parts }) => kind.startsWith('kill -9') && parts.includes('postgresql'));
  return calls.filter(({ atMs }) =>
    crashes.some(({ fromMs }) => atMs > fromMs - unwrittenMs && atMs <= fromMs + unwrittenMs),
  ).length;
}
