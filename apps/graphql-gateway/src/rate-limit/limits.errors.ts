import { ServiceError } from '@tradewind/shared-types';
import type { LimitState } from '../request/limit-state.js';

/** A refusal that carries the state of its limit, so that the headers need no query. */
export class LimitReached extends ServiceError {
  constructor(
    failure: ConstructorParameters<typeof ServiceError>[0],
    readonly state: LimitState,
  ) {
    super(failure);
  }
}
