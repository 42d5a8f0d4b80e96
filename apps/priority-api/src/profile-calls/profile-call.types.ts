import type { Month } from '@tradewind/shared-types';

/** A profile that this process has taken to start it. */
export interface ClaimedCall {
  correlationId: string;
  networkUsername: string;
  /** Starts that failed before. */
  attempts: number;
  claimedAt: Date;
  /** From then on the absence of a scrape at the provider proves that none was begun. */
  doubtUntil: Date;
}

/** What is to be recorded of a start, or of a look-up after one. */
export type CallOutcome =
  | { correlationId: string; state: 'started'; scrapeId: string; startedAt: Date }
  /** Nothing began: it may start again then. `isFailure` counts towards START_ATTEMPTS. */
  | { correlationId: string; state: 'pending'; reason: string; afterMs: number; isFailure: boolean }
  /** Something may have begun: the provider is asked then. */
  | { correlationId: string; state: 'unknown'; reason: string; afterMs: number; settleMs?: number }
  | { correlationId: string; state: 'refused'; reason: string };

/** Profiles of one month and generation. */
export interface CallGroup {
  month: Month;
  generation: string;
  networkUsernames: readonly string[];
}

export interface ProviderPause {
  until: Date;
  kind: 'capacity' | 'outage';
}
