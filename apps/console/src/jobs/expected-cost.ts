// What jobs that are started may cost: as the last ones of the company on average. The plan of a re-run says the same.
import type { Job } from './job.types';

/** How many of the latest jobs count. */
export const jobsOfAverage = 100;

/** US dollars of one job; undefined when no cost is known yet. */
export function averageCostUsd(jobs: readonly Pick<Job, 'cost_usd'>[]): number | undefined {
  const costs = jobs.flatMap(({ cost_usd: usd }) => (usd === null ? [] : [usd]));
  return costs.length === 0 ? undefined : costs.reduce((sum, usd) => sum + usd, 0) / costs.length;
}
