// Which pages and counts are slow: what the last run of the same query took, or else what is expected of its kind.
import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';

export type Pace = 'quick' | 'slow';

/** What a caller asks for, as opposed to what the gateway reads for itself. */
export interface CallerQuery {
  /** What it asks for, whatever the version of the data is. */
  meaning: string;
  /** Expected while nothing is known. */
  isExpectedSlow: boolean;
}

/**
 * Most queries take a few milliseconds. On a busy machine a quick one may take some hundreds, with the wait for a
 * connection. It must not count as slow, or requests would be refused while PostgreSQL has connections free.
 */
const slowMs = 1000;

/** About 1 MB. */
const rememberedMax = 10_000;

export class StatementPaces {
  private readonly known = new LRUCache<string, Pace>({ max: rememberedMax });

  paceOf({ meaning, isExpectedSlow }: CallerQuery): Pace {
    return this.known.get(keyOf(meaning)) ?? (isExpectedSlow ? 'slow' : 'quick');
  }

  /**
   * Runs the statement and remembers its pace, also when it fails or is stopped.
   * @param onSlow is called once it is known to be slow, while it runs
   */
  async measured<T>({ meaning }: CallerQuery, run: () => Promise<T>, onSlow: () => void): Promise<T> {
    let pace: Pace = 'quick';
    // Unlike a timer of pg (decision 0070), it refers to no rows.
    const timer = setTimeout(() => {
      pace = 'slow';
      onSlow();
    }, slowMs);
    try {
      return await run();
    } finally {
      clearTimeout(timer);
      this.known.set(keyOf(meaning), pace);
    }
  }
}

/** The same size however long a filter is. */
const keyOf = (meaning: string): string => hash('sha256', meaning, 'base64url');
