// The status of a deal follows from its start and its end. With both in the index, deals of another status are skipped
// without reading the table.
import type { Migration } from '@tradewind/service-kit';
import { dayBlock } from './day-block.js';

const replaced = ['start', 'end'].map((filtered) => `deal_${filtered}_blocks_by_announced`);
const index = (filtered: string, other: string) =>
  `create index deal_${filtered}_blocks_by_announced_with_${other} on deal
    ((${dayBlock(`${filtered}_date`)}), announced_date desc nulls last, id, ${filtered}_date, ${other}_date);`;

export const dealBlocksWithAllDates: Migration = {
  name: '0008-deal-blocks-with-all-dates',
  up: `
  ${index('start', 'end')}
  ${index('end', 'start')}
  drop index ${replaced.join(', ')};`,
};
