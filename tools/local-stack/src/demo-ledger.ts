// The simulator's ledger as the demo reads it: what the provider was really asked for, to compare with what we stored.
import { expectJson } from './demo-http.js';
import type { DemoPlatform } from './demo-platform.js';

export interface LedgerEntry {
  seq: number;
  operation: string;
  target?: string;
  correlationId?: string;
  id?: string;
  outcome: string;
  items?: { posts: number; comments: number; reactions: number };
}

export interface LedgerSummary {
  runs: { started: number; startedTwice: unknown[] };
  profiles: { started: number; startedTwice: unknown[] };
  ledger: { entries: number; dropped: number };
}

export async function ledgerSummary(platform: DemoPlatform): Promise<LedgerSummary> {
  return expectJson<LedgerSummary>(`${platform.address('provider-simulator')}/ledger/summary`);
}

/** Position of the newest entry: what comes behind it belongs to the demo. */
export async function ledgerPosition(platform: DemoPlatform): Promise<number> {
  const { ledger } = await ledgerSummary(platform);
  return ledger.entries + ledger.dropped;
}

export async function ledgerEntries(
  platform: DemoPlatform,
  filter: Record<string, string | number>,
): Promise<LedgerEntry[]> {
  const entries: LedgerEntry[] = [];
  let afterSeq = Number(filter['afterSeq'] ?? 0);
  for (;;) {
    const query = new URLSearchParams({
      ...Object.fromEntries(Object.entries(filter).map(([name, value]) => [name, String(value)])),
      afterSeq: String(afterSeq),
      limit: '10000',
    });
    const page = await expectJson<{ entries: LedgerEntry[]; nextAfterSeq: number | null }>(
      `${platform.address('provider-simulator')}/ledger?${query.toString()}`,
    );
    entries.push(...page.entries);
    if (page.nextAfterSeq === null) return entries;
    afterSeq = page.nextAfterSeq;
  }
}
