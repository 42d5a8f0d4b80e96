import type { Migration } from '@tradewind/service-kit';

/** Runs are listed page by page, latest first. */
export const latestRuns: Migration = {
  name: '0006-latest-runs',
  up: `create index run_latest on run(created_at, run_id)`,
};
