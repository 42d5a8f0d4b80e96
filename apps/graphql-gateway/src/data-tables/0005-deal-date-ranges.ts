import type { Migration } from '@tradewind/service-kit';

// Dates of a deal go together, so a walk in the order of one finds a range of another only after all that is newer:
// a third of a million rows for a year of 1,000,000 deals. These hold the other dates, so that a range is read and sorted
// without touching the table. 0006 takes their place.
export const dealDateRanges: Migration = {
  name: '0005-deal-date-ranges',
  up: `
  create index deal_start_range on deal (start_date) include (id, announced_date, end_date);
  create index deal_end_range on deal (end_date) include (id, announced_date, start_date);`,
};
