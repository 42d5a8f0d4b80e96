// The simulator's ledger as the demo reads it: what the provider was really asked for, to compare with what we stored.
import { callJson } from './demo-http.js';
import type { DemoPlatform } from './demo-platform.js';

export interface LedgerEntry {
  operation: string;
  target?: string;
  id?: string;
  items?: { posts: number; comments: number; reactions: number };
}

export interface LedgerSummary {
  runs: { startedTwice: unknown[] };
  profiles: { startedTwice: unknown[] };
  ledger: { entries: number; dropped: number };
}

export async function ledgerSummary(platform: DemoPlatform): Promise<LedgerSummary> {
  return callJson<LedgerSummary>(`${platform.address('provider-simulator')}/ledger/summary`);
}

/** Position of the newest entry: later ones belong to the demo. */
export async function ledgerPosition(platform: DemoPlatform): Promise<number> {
  const { ledger } = await ledgerSummary(platform);
  return ledger.entries + ledger.dropped;
}

/** The entries after a position that have these values. */
export async function ledgerEntries(
  platform: DemoPlatform,
  filter: Record<string, string>,
  position = 0,
): Promise<LedgerEntry[]> {
  const entries: LedgerEntry[] = [];
  for (let afterSeq: number | null = position; afterSeq !== null;) {
    const query = new URLSearchParams({ ...filter, afterSeq: String(afterSeq), limit: '10000' });
    const page: { entries: LedgerEntry[]; nextAfterSeq: number | null } = await callJson(
      `${platform.address('provider-simulator')}/ledger?${query.toString()}`,
    );
    entries.push(...page.entries);
    afterSeq = page.nextAfterSeq;
  }
  return entries;
}
