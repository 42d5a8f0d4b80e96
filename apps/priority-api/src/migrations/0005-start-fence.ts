import type { Migration } from '@tradewind/service-kit';

/** Increases with every claim of a start, so that the outcome of an earlier claim is recognised as late. */
export const startFence: Migration = {
  name: '0005-start-fence',
  up: `alter table profile_call add column start_fence integer not null default 0`,
};
