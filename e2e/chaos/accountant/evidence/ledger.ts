// What the provider really began, from its ledger: by target and time.
import type { LedgerEntry } from '../../log/log.types.js';

export interface Start {
  id: string;
  target: string;
  atMs: number;
  /** Null while it is under way. */
  endMs: number | null;
  outcome: string | null;
  items: LedgerEntry['items'];
  itemSums: LedgerEntry['itemSums'];
  contentSum: LedgerEntry['contentSum'];
  costUsd: LedgerEntry['costUsd'];
}

/** Every run or scrape, in the order of their starts. */
export function startsOf(ledger: readonly LedgerEntry[], side: 'run' | 'profile'): Start[] {
  const ends = new Map<string, LedgerEntry>();
  for (const entry of ledger) {
    if (entry.operation === `${side}.ended` && entry.id !== undefined) ends.set(entry.id, entry);
  }
  return ledger
    .filter(({ operation, effect }) => operation === `${side}.start` && effect)
    .map(({ id = '', target = '', at }) => {
      const end = ends.get(id);
      return {
        ...{ id, target, atMs: Date.parse(at) },
        ...{ endMs: end ? Date.parse(end.at) : null, outcome: end?.outcome ?? null, items: end?.items },
        ...{ itemSums: end?.itemSums, contentSum: end?.contentSum, costUsd: end?.costUsd },
      };
    })
    .sort((one, other) => one.atMs - other.atMs);
}

/** Those that began while an earlier one was under way. */
export function overlaps(starts: readonly Start[]): Start[] {
  return starts.filter((start, index) =>
    starts.slice(0, index).some(({ endMs }) => endMs === null || endMs > start.atMs),
  );
}
