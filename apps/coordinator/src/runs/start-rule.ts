// Who may start a run that buys more than the plain month. Such a run publishes a month again, or it publishes a month
// other than the current one, in which everybody is bought once more.
import { assertMaySpend, type CallerIdentity } from '@tradewind/service-kit';
import { monthOf } from '@tradewind/shared-types';
import type { RunOptions } from './run.types.js';

/** @param caller bound to no company, see SchedulerOrCallerGuard. Throws 403. */
export function assertMayStart(
  caller: CallerIdentity,
  { month, force, dryRun }: Pick<RunOptions, 'month' | 'force' | 'dryRun'>,
  now: Date,
): void {
  if (force) assertMaySpend(caller, 'force publishes a month again');
  if (month !== monthOf(now) && !dryRun) assertMaySpend(caller, 'month publishes another month than the current one');
}
