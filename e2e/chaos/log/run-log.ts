import type { Answer, FaultWindow, LedgerEntry, LogContent, Told, ToldEntry } from './log.types.js';

/** About 200 MB. A run that would write more ends its load early. */
const entriesMax = 500_000;

/** Collects what happens in a run, in memory. */
export class RunLog implements LogContent {
  readonly answers: Answer[] = [];
  readonly told: ToldEntry[] = [];
  readonly faults: FaultWindow[] = [];
  /** Filled at the end. */
  ledger: LedgerEntry[] = [];

  answered(answer: Answer): void {
    this.answers.push(answer);
  }

  tell(entry: Told): void {
    this.told.push({ ...entry, atMs: Date.now() });
  }

  get isFull(): boolean {
    return this.answers.length + this.told.length > entriesMax;
  }
}
