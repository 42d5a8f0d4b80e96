import type { Month } from '@tradewind/shared-types';
import type { BatchProfile } from '../batch-message/batch-message.js';

/** A profile that this process has taken to start it. */
export interface ClaimedCall {
  correlationId: string;
  networkUsername: string;
  /** Starts that failed before; the column keeps its older name, `attempts`. */
  failures: number;
  claimedAt: Date;
  /** From then on absence at the provider proves that no scrape was begun; the column is `doubt_until`. */
  settleAfter: Date;
}

/** What is to be recorded of a start, or of a look-up after one. */
export type CallOutcome =
  | { correlationId: string; state: 'started'; scrapeId: string; startedAt: Date }
  /** Nothing began: it may start again then. */
  | { correlationId: string; state: 'pending'; reason: string; afterMs: number; failures: number }
  /** Something may have begun: the provider is asked then. Absence is proof after `settleMs`, when that is given. */
  | { correlationId: string; state: 'unknown'; reason: string; afterMs: number; settleMs?: number }
  /** The provider refused it, or it was given up. */
  | { correlationId: string; state: 'refused'; reason: string; failures?: number };

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

/** Profiles of one month that an operator misses. A handle occurs once. */
export interface RetryPlan {
  /** The same plan starts nothing twice. */
  planId: string;
  month: Month;
  /** Undefined: the latest of each profile. */
  generation: string | undefined;
  profiles: readonly BatchProfile[];
  /** The caller has published them: one that is not known here is started for the first time. */
  arePublished: boolean;
  isDryRun: boolean;
  /** `sub` of a user, name of a service token or `operator`; null: nobody is known. */
  requestedBy: string | null;
}
