import type { ProviderPause } from '@tradewind/scraping-provider';
import type { Month, ProfileCallState } from '@tradewind/shared-types';
import type { BatchProfile } from '../batch-message.js';

/** Which claim of a start this is: each one of a profile has a higher fence. */
export interface CallClaim {
  correlationId: string;
  startFence: number;
}

/** A profile that this process has taken, to start it or to settle its start. */
export interface ClaimedCall extends CallClaim {
  networkUsername: string;
  /** Starts that failed before. */
  failures: number;
  claimedAt: Date;
  /** From then on absence at the provider proves that no scrape was begun. */
  settleAfter: Date;
}

/** What is to be recorded of a start, or of a look-up after one. */
export type CallOutcome = CallClaim &
  (
    | { state: 'started'; scrapeId: string; startedAt: Date }
    /** Nothing began; it may start again after `afterMs`. */
    | { state: 'pending'; reason: string; afterMs: number; failures: number }
    /** Something may have begun; the provider is asked after `afterMs`. Absence is proof after `settleMs`, if given. */
    | { state: 'unknown'; reason: string; afterMs: number; settleMs?: number }
    /** The provider refused it, or it was given up. */
    | { state: 'refused'; reason: string; failures?: number }
  );

/** Profiles of one month and generation. */
export interface CallGroup {
  month: Month;
  generation: string;
  networkUsernames: readonly string[];
}

/** A pause of all starts that goes on. */
export interface PauseLeft {
  kind: ProviderPause['kind'];
  leftMs: number;
}

/** Everything that is known of a profile in one month and generation. */
export interface CallOfProfile {
  month: Month;
  generation: string;
  personId: string;
  /** Null when a retry recorded it first. */
  batchNumber: number | null;
  createdAt: Date;
  state: ProfileCallState;
  reason: string | null;
  startedAt: Date | null;
  scrapeId: string | null;
  lostAt: Date | null;
  deliveredAt: Date | null;
  deliveredStatus: 'SUCCESS' | 'FAILED' | null;
  /** Latest first. */
  retries: { plan_id: string; retried_at: string; requested_by: string | null }[];
}

/** Profiles of one month that an operator asks to retry. A handle occurs once. */
export interface RetryPlan {
  /** The same plan starts nothing twice. */
  planId: string;
  month: Month;
  /** Undefined: the latest of each profile. */
  generation: string | undefined;
  profiles: readonly BatchProfile[];
  /** The caller has published them, so one that is not known here is started for the first time. */
  arePublished: boolean;
  isDryRun: boolean;
  /** `sub` of a user, name of a service token or `operator`; null: nobody is known. */
  requestedBy: string | null;
}
