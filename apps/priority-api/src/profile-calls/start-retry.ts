// When a start is tried again, and when the absence of a scrape at the provider proves that a start began none.

/** A claimed start that could not be sent within this time (the process was frozen) is left to the reconciler, milliseconds. */
export const sendWithinMs = 2_000;

/** How often the provider is asked about a start in doubt, milliseconds. */
export const askAgainMs = 5_000;

/** The longest wait, milliseconds: an outage of the provider is noticed by the pause, not by single profiles. */
const backoffMsMax = 60_000;

/**
 * Wait after a start that certainly began nothing, milliseconds.
 * @param attempts starts that failed before this one
 * @param random a number from 0 to 1; half of the wait is random
 */
export function failedStartBackoffMs(attempts: number, backoffMs: number, random: number): number {
  const ceilingMs = Math.min(backoffMsMax, backoffMs * 2 ** Math.min(attempts, 20));
  return ceilingMs / 2 + (random * ceilingMs) / 2;
}

/**
 * How long after the end of a call a scrape may still appear, milliseconds. An answer of the application itself (500)
 * ends its work; after silence, or an answer of a gateway in between, the request may still be on its way.
 * @param status of the answer, undefined without one
 */
export function settleMs(status: number | undefined, rules: { answeredMs: number; silentMs: number }): number {
  return status === 500 ? rules.answeredMs : rules.silentMs;
}
