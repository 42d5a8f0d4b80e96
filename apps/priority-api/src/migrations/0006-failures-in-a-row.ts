import type { Migration } from '@tradewind/service-kit';

/** How many starts in a row have failed, which decides over the next pause, and the row itself from the beginning. */
export const failuresInARow: Migration = {
  name: '0006-failures-in-a-row',
  up: `
    alter table provider_pause add column failures_in_a_row integer not null default 0;
    insert into provider_pause(until, kind, detail) values ('-infinity', 'capacity', '') on conflict do nothing;
  `,
};
