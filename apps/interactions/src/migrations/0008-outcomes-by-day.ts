import type { Migration } from '@tradewind/service-kit';
import { environments } from '@tradewind/shared-types';
import { trackerTables } from '../tracker/tracker-tables.js';

/**
 * Jobs that have ended, by the time at which they were accepted, with what is counted by day. A job enters the index
 * once, when it ends, so starting and following jobs costs nothing more.
 */
export const outcomesByDay: Migration = {
  name: '0008-outcomes-by-day',
  async up(query) {
    for (const environment of environments) {
      const { tracker } = trackerTables(environment);
      await query(`
        create index "tracker_outcomes_${environment}" on ${tracker} (created_at)
        include (user_company_id, status, posts_count, comments_count, reactions_count) where stage = 'done'`);
    }
  },
};
