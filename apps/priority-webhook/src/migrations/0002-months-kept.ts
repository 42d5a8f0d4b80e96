import type { Migration } from '@tradewind/service-kit';

/** Old deliveries are found by their month: one index less to write with every webhook. */
export const monthsKept: Migration = {
  name: '0002-months-kept',
  up: `drop index delivery_received`,
};
