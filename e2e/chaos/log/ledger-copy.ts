// Copies the provider's ledger while a run lasts, because the simulator keeps the latest entries alone.
import { call } from '../../src/http.js';
import type { LedgerEntry } from './log.types.js';

const keptOperations = new Set(['run.start', 'run.ended', 'profile.start', 'profile.ended']);
const pageSize = 10_000;

interface LedgerPage {
  entries: LedgerEntry[];
  nextAfterSeq: number | null;
}

export class LedgerCopy {
  private readonly kept = new Map<number, LedgerEntry>();
  /** Everything up to here is complete. */
  private completeSeq = 0;

  constructor(private readonly simulatorUrl: string) {}

  get entries(): LedgerEntry[] {
    return [...this.kept.values()].sort((one, other) => one.seq - other.seq);
  }

  /** Reads what is new. An entry that is pending changes later, so the next reading begins with the first of them. */
  async read(): Promise<void> {
    let firstPendingSeq: number | undefined;
    let lastSeq = this.completeSeq;
    for (let after: number | null = this.completeSeq; after !== null;) {
      const { body }: { body: LedgerPage } = await call<LedgerPage>(
        'GET',
        `${this.simulatorUrl}/ledger?limit=${pageSize}&afterSeq=${after}`,
      );
      const [first] = body.entries;
      if (first !== undefined && first.seq !== after + 1) throw new Error('the ledger has dropped entries unread');
      for (const entry of body.entries) {
        if (entry.outcome === 'pending') firstPendingSeq ??= entry.seq;
        if (keptOperations.has(entry.operation)) this.kept.set(entry.seq, entry);
        lastSeq = entry.seq;
      }
      after = body.nextAfterSeq;
    }
    this.completeSeq = firstPendingSeq === undefined ? lastSeq : firstPendingSeq - 1;
  }
}
