import type { Migration } from '@tradewind/service-kit';

// The dates of a deal are close together. A scan in the order of one date reaches a range of another only after all
// newer deals. For a year of 1,000,000 deals that is a third of a million rows. These indexes hold the other dates, so
// that a range is read and sorted without touching the table. 0006 replaces them.
export const dealDateRanges: Migration = {
  name: '0005-deal-date-ranges',
  up: `
  create index deal_start_range on deal (start_date) include (id, announced_date, end_date);
  create index deal_end_range on deal (end_date) include (id, announced_date, start_date);`,
};
