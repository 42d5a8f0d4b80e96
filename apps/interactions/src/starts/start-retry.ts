// When a start that failed is tried again, and when not any more. For the starts service; the numbers without a setting
// are here with their reasons.
import type { StartOutcome } from '@tradewind/scraping-provider';

/** Longest wait between two failed starts of one job: short enough to notice within a minute that the provider is back. */
const backoffMsMax = 60_000;

/** A provider without capacity is asked at most this many times more rarely than it asked for. */
const pauseFactorMax = 8;

/** Slack before the recorded moment of a call when runs are listed: the provider's clock decides there. */
export const listSlackMs = 5 * 60_000;

/**
 * A claimed start that could not be sent within this time (the process was stopped, the machine slept) is given back
 * unsent: another replica may already look for its run. What is sent late begins late, so half of the time in which a
 * run may still appear is kept for the provider.
 */
export function sendWithinMs(settleSilentMs: number): number {
  return Math.min(2_000, settleSilentMs / 2);
}

export interface RetryRules {
  attempts: number;
  backoffMs: number;
}

/** Wait before the next start after so many failures in a row; undefined when that was the last one. */
export function backoffAfterFailure(
  failures: number,
  rules: RetryRules,
  random: () => number = Math.random,
): number | undefined {
  if (failures >= rules.attempts) return undefined;
  const doubled = Math.min(rules.backoffMs * 2 ** (failures - 1), backoffMsMax);
  return Math.round(doubled * (1 + random() / 4));
}

/**
 * How long all starts pause when the provider has no room: what it asked for, doubled with each refusal in a row, plus
 * up to a fifth, so that replicas do not come back together.
 */
export function pauseForCapacity(retryAfterMs: number, refusals: number, random: () => number = Math.random): number {
  return Math.round(retryAfterMs * Math.min(2 ** refusals, pauseFactorMax) * (1 + random() / 5));
}

/**
 * From when on the absence of a run in the provider's list proves that a start with unknown outcome began none,
 * milliseconds after the end of the call. An answer of the application itself (500) ends its work; after silence, or an
 * answer of a gateway in between, the request may still be on its way.
 */
export function settleMs(
  outcome: Extract<StartOutcome, { outcome: 'unknown_outcome' }>,
  rules: { answeredMs: number; silentMs: number },
): number {
  return outcome.status === 500 ? rules.answeredMs : rules.silentMs;
}
