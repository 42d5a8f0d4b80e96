import type { Migration } from '@tradewind/service-kit';
import { environments } from '@tradewind/shared-types';
import { trackerTables } from '../tracker/tracker-tables.js';

/** What repeats in a timeline is one entry: when it was first and last, and how often. */
export const repeatedEntries: Migration = {
  name: '0006-repeated-entries',
  async up(query) {
    for (const environment of environments) {
      const { timeline } = trackerTables(environment);
      await query(`
        alter table ${timeline}
          -- Null while it happened once.
          add column last_at timestamptz(3),
          add column times integer not null default 1`);
    }
  },
};
