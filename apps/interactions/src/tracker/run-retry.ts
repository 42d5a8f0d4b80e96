// How long a job goes on when its run, or the items of its run, cannot be read. For `follow` and `items`.
import { backoffMs } from '@tradewind/shared-types';

/** Wait after so many failures in a row of the provider or the warehouse, milliseconds: 1 s doubled up to a minute. */
export function retryAfterFailureMs(failures: number): number {
  return backoffMs(failures + 1, { backoffMsMin: 1_000, backoffMsMax: 60_000 }, 1);
}

/**
 * Looks in a row that find no run, or no dataset, before the job becomes FAILED. About 30 s together: an answer of 404
 * may come from a lagging copy of the provider's database.
 */
export const missingLooksMax = 5;
