// Which full windows have had an audit row lately. A refusal costs its sender nothing: with a row for each, anybody
// could fill the table.
import { LRUCache } from 'lru-cache';

const rowIntervalMs = 60_000;
/** Some 2 MB. With more windows, some get rows more often. */
const rememberedMax = 10_000;

export class RefusedWindows {
  private readonly written: LRUCache<string, true>;

  /** @param clock milliseconds; a test passes its own */
  constructor(clock: { now(): number } = performance) {
    this.written = new LRUCache({ max: rememberedMax, ttl: rowIntervalMs, ttlResolution: 0, perf: clock });
  }

  /** Whether this refusal of the window is to be written; at most one in a minute is. */
  isDue(key: string): boolean {
    if (this.written.has(key)) return false;
    this.written.set(key, true);
    return true;
  }
}
