// When something that failed is tried again. Every wait between tries in this repository comes from here.
import { setTimeout as sleep } from 'node:timers/promises';

export interface Backoff {
  /** The wait after the first failure, milliseconds. */
  backoffMsMin: number;
  /** The longest wait, milliseconds. */
  backoffMsMax: number;
}

/**
 * The wait before the next try, milliseconds. It doubles with each failure, and half of it is random, so that callers
 * that failed together do not come back together.
 * @param failures in a row, at least 1
 * @param random a number from 0 to 1
 */
export function backoffMs(failures: number, range: Backoff, random = Math.random()): number {
  const ceilingMs = Math.min(range.backoffMsMax, range.backoffMsMin * 2 ** Math.min(failures - 1, 30));
  return Math.round(ceilingMs * (0.5 + random / 2));
}

export interface RetryPolicy extends Backoff {
  /** Calls in all, the first included. */
  attempts: number;
  /** Whether another call can help. Only calls that are safe to repeat may be retried at all. */
  isRetryable: (error: unknown) => boolean;
  signal?: AbortSignal;
}

/** Calls until it succeeds, throws something final, or the attempts are used up; then throws the last error. */
export async function retry<T>(call: (attempt: number) => Promise<T>, policy: RetryPolicy): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await call(attempt);
    } catch (error) {
      if (attempt >= policy.attempts || !policy.isRetryable(error) || policy.signal?.aborted) throw error;
      await sleep(backoffMs(attempt, policy), undefined, policy.signal ? { signal: policy.signal } : {});
    }
  }
}
