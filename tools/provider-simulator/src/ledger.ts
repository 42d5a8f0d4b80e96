// What really happened: every call that arrived, everything that was started, how it ended, and every delivery.
// Entries are bounded; the summary's counters see all of them, also those that have been dropped.
import type { CallOperation } from './faults.js';
import { increment } from './increment.js';
import type { ItemCounts, ItemSums } from './item.types.js';
import { StartCounters, type Side, type StartSummary } from './start-counters.js';

export type LedgerOperation = CallOperation | 'run.ended' | 'profile.ended' | 'run.webhook' | 'profile.webhook';

export interface LedgerEntry {
  /** Position, counting from 1; gaps never occur, but the oldest entries are dropped. */
  seq: number;
  /** ISO 8601, UTC, milliseconds; when the call arrived or the event happened. */
  at: string;
  operation: LedgerOperation;
  /** Handle or username. */
  target?: string;
  correlationId?: string;
  /** Run or scrape that the call names, or that it began. */
  id?: string;
  /**
   * HTTP status of our answer to a call, or of the receiver's to a webhook. Null while pending and without an answer.
   */
  status: number | null;
  /** Whether a call changed anything: a run or scrape was begun, an abort was begun. */
  effect: boolean;
  /**
   * `ok`, `refused` (4xx), `failed` (5xx), `no_answer`; for ends the final status; for webhooks `delivered`, `failed`,
   * `suppressed`.
   */
  outcome: string;
  /** Kinds of faults that applied. */
  faults?: string[];
  /** Number of the delivery, from 1. */
  attempt?: number;
  /** Receiver of a webhook. */
  url?: string;
  /** What the dataset of an ended run holds. */
  items?: ItemCounts;
  /** Sums of what the dataset of an ended run holds: of all posts, of all comments and of all reactions, each once. */
  itemSums?: ItemSums;
  /** Sum of the body that an ended scrape delivers. */
  contentSum?: string;
  /** What an ended run cost, US dollars, whether or not its faults let anybody know. */
  costUsd?: number;
  /** From arrival to answer. */
  durationMs?: number;
}

export interface LedgerQuery {
  operation?: string | undefined;
  target?: string | undefined;
  correlationId?: string | undefined;
  id?: string | undefined;
  outcome?: string | undefined;
  effect?: boolean | undefined;
  /** Entries behind this position. */
  afterSeq?: number | undefined;
  /** Default 1,000, at most 10,000. */
  limit?: number | undefined;
}

export interface LedgerPage {
  entries: LedgerEntry[];
  /** `afterSeq` of the next page; null when this was the last. */
  nextAfterSeq: number | null;
  /** Entries that are gone; a proof needs 0 here. */
  dropped: number;
}

export interface LedgerSummary {
  /** ISO 8601; start of the simulator or the last reset. */
  since: string;
  /** Operation -> outcome -> number of entries. */
  counts: Record<string, Record<string, number>>;
  runs: StartSummary;
  profiles: StartSummary;
  ledger: { entries: number; dropped: number };
}

export class Ledger {
  private entries: LedgerEntry[] = [];
  private lastSeq = 0;
  private since = new Date();
  private counts = new Map<string, Map<string, number>>();
  private starts: Record<Side, StartCounters> = {
    run: new StartCounters('run'),
    profile: new StartCounters('profile'),
  };

  constructor(private readonly entriesMax: number) {}

  /** Writes an entry that is complete, or one that `close` completes later. */
  open(entry: Omit<LedgerEntry, 'seq' | 'at' | 'status' | 'effect' | 'outcome'> & Partial<LedgerEntry>): LedgerEntry {
    this.lastSeq += 1;
    const written: LedgerEntry = {
      seq: this.lastSeq,
      at: new Date().toISOString(),
      status: null,
      effect: false,
      outcome: 'pending',
      ...entry,
    };
    this.entries.push(written);
    // Dropping one by one would move the whole array each time.
    if (this.entries.length > this.entriesMax * 1.25) this.entries = this.entries.slice(-this.entriesMax);
    if (written.outcome !== 'pending') this.count(written);
    return written;
  }

  /** Completes an entry that was opened as pending. */
  close(entry: LedgerEntry, result: { status: number | null; outcome: string; durationMs?: number }): void {
    Object.assign(entry, result);
    this.count(entry);
  }

  recordStart(side: Side, start: { id: string; target: string; correlationId: string | undefined; at: Date }): void {
    this.starts[side].start(start);
  }

  recordEnd(side: Side, id: string, status: string, at: Date): void {
    this.starts[side].end(id, status, at);
  }

  recordDelivered(side: Side, id: string): void {
    this.starts[side].delivered(id);
  }

  page(query: LedgerQuery): LedgerPage {
    const limit = Math.min(query.limit ?? 1000, 10_000);
    const found: LedgerEntry[] = [];
    let nextAfterSeq: number | null = null;
    const firstSeq = this.entries[0]?.seq ?? 1;
    for (let index = Math.max(0, (query.afterSeq ?? 0) - firstSeq + 1); index < this.entries.length; index++) {
      const entry = this.entries[index];
      if (!entry || !matches(entry, query)) continue;
      if (found.length === limit) {
        nextAfterSeq = found.at(-1)?.seq ?? null;
        break;
      }
      found.push(entry);
    }
    return { entries: found, nextAfterSeq, dropped: this.lastSeq - this.entries.length };
  }

  summary(): LedgerSummary {
    return {
      since: this.since.toISOString(),
      counts: Object.fromEntries(
        [...this.counts].map(([operation, counts]) => [operation, Object.fromEntries(counts)]),
      ),
      runs: this.starts.run.summary(),
      profiles: this.starts.profile.summary(),
      ledger: { entries: this.entries.length, dropped: this.lastSeq - this.entries.length },
    };
  }

  reset(): void {
    this.entries = [];
    this.lastSeq = 0;
    this.since = new Date();
    this.counts = new Map();
    this.starts = { run: new StartCounters('run'), profile: new StartCounters('profile') };
  }

  private count(entry: LedgerEntry): void {
    let counts = this.counts.get(entry.operation);
    if (!counts) this.counts.set(entry.operation, (counts = new Map<string, number>()));
    increment(counts, entry.outcome);
  }
}

function matches(entry: LedgerEntry, query: LedgerQuery): boolean {
  return (
    (query.operation === undefined || entry.operation === query.operation) &&
    (query.target === undefined || entry.target === query.target) &&
    (query.correlationId === undefined || entry.correlationId === query.correlationId) &&
    (query.id === undefined || entry.id === query.id) &&
    (query.outcome === undefined || entry.outcome === query.outcome) &&
    (query.effect === undefined || entry.effect === query.effect)
  );
}
