import type { Arbitrary } from 'fast-check';
import type { Operation } from '../operations/operation.types.js';
import type { FuzzRequest } from '../request/fuzz-request.js';
import type { ServiceName } from '../../src/service-names.js';
import type { Target } from '../../src/target.types.js';

/** One kind of hostile input: a file here and a line in all-classes.ts. */
export interface HostileClass {
  name: string;
  /** Every request must be refused. Then no row may be written either. */
  isRefused: boolean;
  /** Share of the requests, beside 1 of most classes. */
  weight?: number;
  /** Requests to one service; undefined when the class means nothing to it. */
  requests(
    service: ServiceName,
    context: { operations: readonly Operation[]; target: Target },
  ): Arbitrary<FuzzRequest> | undefined;
}
