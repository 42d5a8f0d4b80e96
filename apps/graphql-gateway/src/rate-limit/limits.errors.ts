import { ServiceError } from '@tradewind/shared-types';
import type { LimitState } from '../request/limit-state.js';
import { limitHeaders } from './limit-headers.js';

/** A refusal that carries the state of its limit, so that the headers need no query. */
export class LimitReached extends ServiceError {
  constructor(
    failure: ConstructorParameters<typeof ServiceError>[0],
    readonly state: LimitState,
  ) {
    super({ ...failure, headers: { ...failure.headers, ...limitHeaders(state) } });
  }
}

/** 429. */
export function limitReached(policy: 'data' | 'requests', limit: number, resetSeconds: number): ServiceError {
  return new ServiceError({
    code: policy === 'data' ? 'rate_limit.data' : 'rate_limit.requests',
    status: 429,
    message:
      policy === 'data'
        ? `The limit of ${limit} data calls per day is reached; it resets at 00:00 UTC`
        : `The limit of ${limit} requests per minute is reached; try again in ${resetSeconds} s`,
    retryable: true,
    retryAfterSeconds: resetSeconds,
  });
}
