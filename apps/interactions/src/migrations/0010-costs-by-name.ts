import type { Migration } from '@tradewind/service-kit';
import { environments } from '@tradewind/shared-types';
import { trackerTables } from '../tracker/tracker-tables.js';

/**
 * A page of the companies with their costs and budgets reads these companies alone. The order is that of the code
 * points of their names, whatever the collation of the database. `costs_by_day` is used by the previous version alone.
 */
export const costsByName: Migration = {
  name: '0010-costs-by-name',
  async up(query) {
    for (const environment of environments) {
      const { companyCosts, companyBudgets } = trackerTables(environment);
      const name = 'user_company_id collate "C"';
      await query(`
        create index "costs_of_day_by_name_${environment}" on ${companyCosts} (day, ${name}) include (user_company_id)`);
      await query(`create index "budgets_by_name_${environment}" on ${companyBudgets} (${name}, change_id desc)`);
    }
  },
};
