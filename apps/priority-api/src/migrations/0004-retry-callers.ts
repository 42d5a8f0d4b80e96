import type { Migration } from '@tradewind/service-kit';

/** Who asked for a retry; the coordinator asks in the name of its own callers and records them under the same plan. */
export const retryCallers: Migration = {
  name: '0004-retry-callers',
  up: `alter table profile_retry add column requested_by text`,
};
