import type { Migration } from '@tradewind/service-kit';

/** Until when a start with unknown outcome may still appear at the provider; its absence proves nothing before. */
export const doubtUntil: Migration = {
  name: '0002-doubt-until',
  up: `alter table profile_call add column doubt_until timestamptz`,
};
