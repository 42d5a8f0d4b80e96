import { toUsd } from '../micro-usd.js';

/** Public sentences for starts that did not happen: the `error` of a target. They hold nothing the provider said. */
export const startErrors = {
  refused: 'The provider refused to start a run for this target',
  no_capacity: 'The provider had no capacity to start a run for this target',
  failed: 'The run could not be started at the provider',
} as const;

/** The company already has a PENDING or RUNNING job for the target. */
export const alreadyActiveError = 'A run is already active for this target';

/** The budget of the company has no room for one more run; amounts in millionths of a US dollar. */
export function overBudgetError(of: {
  month: string;
  budgetMicroUsd: number;
  spentMicroUsd: number;
  reservedMicroUsd: number;
  runMicroUsd: number;
}): string {
  return (
    `The budget of this company for ${of.month} has no room for this run: of ${toUsd(of.budgetMicroUsd)} US dollars ` +
    `${toUsd(of.spentMicroUsd)} are spent and ${toUsd(of.reservedMicroUsd)} reserved, ` +
    `and the run may cost ${toUsd(of.runMicroUsd)}`
  );
}

/** The answer is due and the run is not started yet. It begins with the status of the job. */
export const stillPendingError = 'PENDING: the run is not started yet and will be started in the background';

/** Somebody aborted the job while it waited to be started. */
export const abortedBeforeStartError = 'The run was aborted before it started';
