// What a failed call to the provider means. Decides whether a start is certain not to have happened, which the
// interactions service and the priority pipeline rely on to start nothing twice.
import { ServiceError } from '@tradewind/shared-types';

/** A failed call, reduced to what may be logged: the original error holds the credential in its request. */
export interface CallFailure {
  /** HTTP status of the answer; undefined when there was none. */
  status: number | undefined;
  /** The provider's own code of the error, such as `concurrent-runs-limit-exceeded`. */
  type: string | undefined;
  /** System error code, such as ECONNREFUSED. */
  code: string | undefined;
  retryAfterMs: number | undefined;
  detail: string;
}

/** What became of a start that did not succeed. Only `unknown_outcome` may have started something. */
export type StartFailure =
  /** The provider has no room (429, concurrent runs or memory used up). Nothing was started; try again then. */
  | { outcome: 'no_capacity'; retryAfterMs: number; detail: string }
  /** No connection could be made. Nothing was started; try again then. */
  | { outcome: 'unavailable'; retryAfterMs: number; detail: string }
  /**
   * Timeout, broken connection, 5xx. Look for it by correlation id before starting again.
   * `status` is that of the answer; undefined when none came.
   */
  | { outcome: 'unknown_outcome'; status: number | undefined; detail: string }
  /** The provider refuses this start, and will refuse it again. Nothing was started. */
  | { outcome: 'refused'; status: number; detail: string };

export type FailureMeaning = StartFailure['outcome'];

/** The platform's limits on concurrent runs and total memory; answered as 400 or 402, and both mean "not now". */
const capacityTypes = new Set(['concurrent-runs-limit-exceeded', 'actor-memory-limit-exceeded']);

/** The connection was never made, so the request was never read. */
const neverConnectedCodes = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

export function meaningOfFailure(failure: CallFailure): FailureMeaning {
  if (failure.type !== undefined && capacityTypes.has(failure.type)) return 'no_capacity';
  if (failure.status === 429) return 'no_capacity';
  // 408: the server gave up waiting, which says nothing about what it had begun.
  if (failure.status !== undefined && failure.status >= 400 && failure.status < 500 && failure.status !== 408)
    return 'refused';
  if (failure.status === undefined && failure.code !== undefined && neverConnectedCodes.has(failure.code))
    return 'unavailable';
  return 'unknown_outcome';
}

/** The outcome of a start that failed, in the words of the ports. */
export function failedStart(failure: CallFailure, defaultRetryAfterMs: number): StartFailure {
  const { status, detail, retryAfterMs = defaultRetryAfterMs } = failure;
  const outcome = meaningOfFailure(failure);
  switch (outcome) {
    case 'no_capacity':
    case 'unavailable':
      return { outcome, retryAfterMs, detail };
    case 'unknown_outcome':
      return { outcome, status, detail };
    case 'refused':
      return { outcome, status: status ?? 0, detail };
  }
}

/** The error of a read or an abort that failed after its repetitions. */
export function failedCall(failure: CallFailure): ServiceError {
  const cause = new Error(failure.detail);
  if (meaningOfFailure(failure) === 'refused') {
    return new ServiceError({
      code: 'provider.refused',
      status: 502,
      message: 'The scraping provider refused the request',
      cause,
    });
  }
  return new ServiceError({
    code: 'dependency.unavailable',
    status: 503,
    message: 'The scraping provider does not answer at the moment',
    retryable: true,
    ...(failure.retryAfterMs === undefined ? {} : { retryAfterSeconds: Math.ceil(failure.retryAfterMs / 1000) }),
    cause,
  });
}

/**
 * Longest wait that is accepted: a day. A longer one is a mistake of the provider, and too much for a database to add.
 */
const retryAfterMsMax = 86_400_000;

/** `Retry-After` in seconds or as a date, in milliseconds from now; undefined when absent or unreadable. */
export function retryAfterMs(header: unknown, now: Date): number | undefined {
  if (typeof header !== 'string' || header.trim() === '') return undefined;
  const seconds = Number(header);
  const waitMs = Number.isNaN(seconds) ? Date.parse(header) - now.getTime() : seconds * 1000;
  return Number.isNaN(waitMs) ? undefined : Math.min(Math.max(0, waitMs), retryAfterMsMax);
}

/**
 * What the provider said, fit for logs and tables: without control characters and halves of characters, and not long.
 */
export function failureDetail(text: string): string {
  return text.slice(0, 500).replace(/[\p{Cc}\p{Cs}]/gu, '\uFFFD');
}
