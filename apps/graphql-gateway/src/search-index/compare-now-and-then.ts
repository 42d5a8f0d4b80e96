// `index follow --check-every-hours`: the process that feeds an index also compares a sample of it with PostgreSQL, and
// repairs what differs. A difference is a fault, or somebody else who writes to the cluster.
import { setTimeout as delay } from 'node:timers/promises';
import type { Entity } from '@tradewind/filter-engine';
import type { Following } from './follow-changes.js';

/** A process that is replaced every day compares, too. */
const firstAfter = 0.1;
const idsShown = 5;

export interface Comparing extends Following {
  intervalMs: number;
  /** About how many records are compared. */
  sample: number;
}

/** Resolves after the signal. */
export async function compareNowAndThen(
  entity: Entity,
  { feeders, events, signal, upToDateMs, intervalMs, sample }: Comparing,
): Promise<void> {
  for (let waitMs = intervalMs * firstAfter; ; waitMs = intervalMs) {
    await delay(waitMs, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return;
    // Another process feeds the index, and compares it.
    if (!upToDateMs.has(entity)) continue;
    try {
      const { compared, wrongIds } = await feeders.use(entity, (feeder) => feeder.check(sample, signal));
      events.emit('search_index_compared', { entity, records: compared });
      if (wrongIds.length > 0)
        events.emit('search_index_differed', { entity, records: wrongIds.length, ids: wrongIds.slice(0, idsShown) });
    } catch (error) {
      events.emit('search_index_failed', { entity, err: error });
    }
  }
}
