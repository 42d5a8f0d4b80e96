import type { Migration } from '@tradewind/service-kit';
import { environments } from '@tradewind/shared-types';
import { trackerTables } from '../tracker/tracker-tables.js';

/** Which failed job a job repeats. A failed job is repeated once, whoever asks, however often. */
export const reRuns: Migration = {
  name: '0005-re-runs',
  async up(query) {
    for (const environment of environments) {
      const { tracker } = trackerTables(environment);
      const index = (name: string) => `"${name}_${environment}"`;
      await query(`alter table ${tracker} add column re_run_of uuid`);
      await query(
        `create unique index ${index('tracker_re_run')} on ${tracker} (re_run_of) where re_run_of is not null`,
      );
      await query(`
        create index ${index('tracker_failed')} on ${tracker} (created_at desc, job_id desc) where status = 'FAILED'`);
      await query(`
        create index ${index('tracker_company_failed')} on ${tracker} (user_company_id, created_at desc, job_id desc)
        where status = 'FAILED'`);
    }
  },
};
