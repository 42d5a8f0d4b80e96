// When a delivery that was not acknowledged is tried again: exponential with jitter, the shape of Pub/Sub's retry policy.

export interface BackoffRange {
  /** Wait after the first failed delivery, milliseconds. */
  backoffMsMin: number;
  /** Longest wait, milliseconds. */
  backoffMsMax: number;
}

/** Statuses that end a delivery. Everything else, redirects too, leads to another one. */
export const acknowledgingStatuses: ReadonlySet<number> = new Set([102, 200, 201, 202, 204]);

/**
 * Milliseconds until the next delivery. Doubles with every attempt; between the half and the whole of that is chosen
 * at random, so that messages that failed together do not come back together.
 * @param attempt the delivery that failed, from 1
 * @param random a number from 0 to 1
 */
export function redeliveryDelayMs(attempt: number, range: BackoffRange, random: number): number {
  const ceiling = Math.min(range.backoffMsMax, range.backoffMsMin * 2 ** Math.min(attempt - 1, 30));
  return Math.round(ceiling * (0.5 + random / 2));
}
