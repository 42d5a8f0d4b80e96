import type { Migration } from '@tradewind/service-kit';
import { environments } from '@tradewind/shared-types';
import { trackerTables } from '../tracker/tracker-tables.js';

/** Who asked for a job and who asked to abort it. Null: nobody was known, or the job is older than this migration. */
export const callers: Migration = {
  name: '0002-callers',
  async up(query) {
    for (const environment of environments) {
      const { tracker } = trackerTables(environment);
      await query(`alter table ${tracker} add column triggered_by text, add column aborted_by text`);
    }
  },
};
