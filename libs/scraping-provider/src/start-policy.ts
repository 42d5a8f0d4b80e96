// What follows from a start that failed, for runs and profiles alike. It says when the start may be tried again, when
// it is settled first, and when it is given up. Pure: the apps keep the state.
import { backoffMs } from '@tradewind/shared-types';
import type { StartFailure } from './provider-failures.js';

/** Longest wait between two failed starts: short enough to notice within a minute that the provider is back. */
const backoffMsMax = 60_000;
/** First and longest wait between two looks for an unsettled start: soon at first, since most are listed at once. */
const lookAgainMsMin = 500;
export const lookAgainMsMax = 5_000;

/** The settings of an app that starts runs or profiles. */
export interface StartRules {
  PROVIDER_TIMEOUT_MS: number;
  START_ATTEMPTS: number;
  START_BACKOFF_MS: number;
  START_SETTLE_MS: number;
  START_SETTLE_SILENT_MS: number;
  /** Longest wait for a provider that is full or cannot be reached; for ever unless set. */
  START_GIVE_UP_SECONDS?: number;
}

export type NextStep =
  /** Nothing was started: start again after the wait. `failures` counts towards START_ATTEMPTS. */
  | { step: 'retry'; afterMs: number; failures: number }
  /** Something may have been started: absence at the provider is proof only after `settleMs`. */
  | { step: 'settle'; settleMs: number }
  /** Nothing was started, and nothing will be. */
  | { step: 'give_up'; why: 'refused' | 'failed' | 'no_capacity' };

/**
 * What follows from a start that did not succeed. A provider that is full or cannot be reached counts as no failure.
 * Nothing was sent that could be paid for, and an outage of any length then costs no work.
 * @param start starts that failed before this one, and how long ago it was asked for
 */
export function nextStep(
  failure: StartFailure,
  { failures, ageMs }: { failures: number; ageMs: number },
  rules: StartRules,
): NextStep {
  switch (failure.outcome) {
    case 'refused':
      return { step: 'give_up', why: 'refused' };
    case 'unknown_outcome':
      return { step: 'settle', settleMs: settleMs(failure.status, rules) };
    case 'no_capacity':
    case 'unavailable': {
      const why = failure.outcome === 'no_capacity' ? 'no_capacity' : 'failed';
      if (ageMs > (rules.START_GIVE_UP_SECONDS ?? Infinity) * 1000) return { step: 'give_up', why };
      return { step: 'retry', afterMs: failure.retryAfterMs, failures };
    }
  }
}

/** What follows from one more start that certainly began nothing: also from an unsettled one that is proved absent. */
export function stepAfterFailure(
  failures: number,
  rules: Pick<StartRules, 'START_ATTEMPTS' | 'START_BACKOFF_MS'>,
  random = Math.random(),
): Exclude<NextStep, { step: 'settle' }> {
  if (failures + 1 >= rules.START_ATTEMPTS) return { step: 'give_up', why: 'failed' };
  const range = { backoffMsMin: rules.START_BACKOFF_MS, backoffMsMax };
  // Never shorter than the whole back-off: START_ATTEMPTS and START_BACKOFF_MS promise how long an outage may last.
  const afterMs = Math.min(backoffMsMax, Math.round(backoffMs(failures + 1, range, 1) * (1 + random / 4)));
  return { step: 'retry', afterMs, failures: failures + 1 };
}

/**
 * From when on absence at the provider proves that a start began nothing, milliseconds after the end of the call. An
 * answer of the application itself (500) ends its work. After silence, or an answer of a gateway in between, the
 * request may still be on its way.
 */
function settleMs(status: number | undefined, rules: StartRules): number {
  return status === 500 ? rules.START_SETTLE_MS : rules.START_SETTLE_SILENT_MS;
}

/**
 * Wait before the next look for an unsettled start, after so many looks that found nothing. Without jitter: a look is
 * cheap.
 */
export function lookAgainMs(looks: number): number {
  return backoffMs(looks + 1, { backoffMsMin: lookAgainMsMin, backoffMsMax: lookAgainMsMax }, 1);
}

/** The times of one claimed start, milliseconds from the claim. */
export function claimTimes(rules: Pick<StartRules, 'PROVIDER_TIMEOUT_MS' | 'START_SETTLE_SILENT_MS'>) {
  const { PROVIDER_TIMEOUT_MS: timeoutMs, START_SETTLE_SILENT_MS: silentMs } = rules;
  // A busy process needs some time to send. The time is part of `settleMs`, so a start that is sent late is safe, too.
  const sendWithinMs = Math.max(1_000, Math.min(2_000, silentMs / 2));
  return {
    /** A start that was not sent by then (the process was frozen) must not be sent: another replica may settle it. */
    sendWithinMs,
    /** Until then the start belongs to the process that claimed it. */
    leaseMs: sendWithinMs + timeoutMs + Math.min(lookAgainMsMax, silentMs),
    /** From then on absence at the provider proves that an unsettled start began nothing. */
    settleMs: sendWithinMs + timeoutMs + silentMs,
  };
}
