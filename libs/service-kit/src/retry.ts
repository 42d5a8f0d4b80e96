import { setTimeout as sleep } from 'node:timers/promises';

export interface RetryOptions {
  /** Calls in all, the first included. */
  attempts: number;
  /** The pause before the second call, milliseconds; it doubles for each further one. */
  backoffMsMin: number;
  /** The longest pause, milliseconds. */
  backoffMsMax: number;
  /** Whether another call can help. Only calls that are safe to repeat belong in here at all. */
  isRetryable: (error: unknown) => boolean;
  /** Pause that the other side asked for, milliseconds; taken when it is longer, but never beyond backoffMsMax. */
  requestedPauseMs?: (error: unknown) => number | undefined;
  signal?: AbortSignal;
}

/**
 * Calls until it succeeds, throws something final, or the attempts are used up; then throws the last error.
 * Half of each pause is random, so that callers that failed together do not come back together.
 */
export async function retry<T>(call: (attempt: number) => Promise<T>, options: RetryOptions): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await call(attempt);
    } catch (error) {
      if (attempt >= options.attempts || !options.isRetryable(error) || options.signal?.aborted) throw error;
      const pauseMs = Math.min(options.backoffMsMax, options.backoffMsMin * 2 ** (attempt - 1));
      const jitteredMs = pauseMs / 2 + (Math.random() * pauseMs) / 2;
      const requestedMs = Math.min(options.backoffMsMax, options.requestedPauseMs?.(error) ?? 0);
      await sleep(Math.max(jitteredMs, requestedMs), undefined, options.signal ? { signal: options.signal } : {});
    }
  }
}
