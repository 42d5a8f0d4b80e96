import { ServiceError } from '@tradewind/shared-types';
import type { LimitState } from '../request/limit-state.js';

/** A refusal that knows its limit, so that the headers of the answer are made without asking the counters. */
export class LimitReached extends ServiceError {
  constructor(
    failure: ConstructorParameters<typeof ServiceError>[0],
    readonly state: LimitState,
  ) {
    super(failure);
  }
}
