import type { Migration } from '@tradewind/service-kit';
import { environments } from '@tradewind/shared-types';
import { trackerTables } from '../tracker/tracker-tables.js';

/** A search for a status that few jobs have does not read the others. */
export const handlesByStatus: Migration = {
  name: '0009-handles-by-status',
  async up(query) {
    for (const environment of environments) {
      const { tracker } = trackerTables(environment);
      // As tracker_handle has it.
      const handle = `substr(target_key, strpos(target_key, ':') + 1) collate "C"`;
      await query(`create index "tracker_status_handle_${environment}" on ${tracker} (status, ${handle}, job_id)`);
    }
  },
};
