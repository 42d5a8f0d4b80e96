import type { Migration } from '@tradewind/service-kit';

/** When the selection of a run ended and its publishing began. */
export const selectedAt: Migration = {
  name: '0002-selected-at',
  up: `alter table run add column selected_at timestamptz`,
};
