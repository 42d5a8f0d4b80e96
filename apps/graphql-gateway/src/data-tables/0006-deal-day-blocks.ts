import type { Migration } from '@tradewind/service-kit';
import { dayBlock } from './day-block.js';

// Replace the indexes of 0005, which read and sort every deal of a range. Here each block of days is already in the
// order of another date. So a page reads at most its own size of a block (src/connections/page-query.ts, `DayRange`).
const index = (filtered: string, sorted: string) =>
  `create index deal_${filtered}_blocks_by_${sorted} on deal
    ((${dayBlock(`${filtered}_date`)}), ${sorted}_date desc nulls last, id, ${filtered}_date);`;

export const dealDayBlocks: Migration = {
  name: '0006-deal-day-blocks',
  up: `
  drop index deal_start_range;
  drop index deal_end_range;
  ${index('start', 'announced')}
  ${index('start', 'end')}
  ${index('end', 'announced')}
  ${index('end', 'start')}`,
};
