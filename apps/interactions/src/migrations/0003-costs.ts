import type { Migration } from '@tradewind/service-kit';
import { environments } from '@tradewind/shared-types';
import { trackerTables } from '../tracker/tracker-tables.js';

/** What runs cost, the totals of each company and day, and budgets. All money is in millionths of a US dollar. */
export const costs: Migration = {
  name: '0003-costs',
  async up(query) {
    for (const environment of environments) {
      const { tracker, companyCosts, companyBudgets } = trackerTables(environment);
      const index = (name: string) => `"${name}_${environment}"`;
      await query(`
        alter table ${tracker}
          -- What a run may cost; counts against the budget of the company until its run has ended.
          add column reserved_micro_usd bigint not null default 0 check (reserved_micro_usd >= 0),
          -- Null until the run has ended, and for a job without a run.
          add column cost_micro_usd bigint check (cost_micro_usd >= 0),
          -- When the cost is read once more, since the provider may have corrected it.
          add column cost_due_at timestamptz`);
      await query(`
        create index ${index('tracker_cost_due')} on ${tracker} (cost_due_at) where cost_due_at is not null`);
      // Nothing has to release a reservation: it counts while the stage says that the run may still cost something.
      await query(`
        create index ${index('tracker_reserved')} on ${tracker} (user_company_id, created_at)
        include (reserved_micro_usd) where stage in ('queued', 'starting', 'unsettled', 'following')`);
      await query(`
        create table ${companyCosts} (
          user_company_id text not null,
          -- The day (UTC) on which the job was accepted, whenever its cost became known.
          day date not null,
          cost_micro_usd bigint not null,
          primary key (user_company_id, day)
        )`);
      await query(`create index ${index('costs_by_day')} on ${companyCosts} (day)`);
      // Rows are only added: the latest row of a company counts, and all of them say who changed what.
      await query(`
        create table ${companyBudgets} (
          change_id bigint generated always as identity primary key,
          user_company_id text not null,
          -- 'default': that of the setting.
          kind text not null check (kind in ('limited', 'unlimited', 'default')),
          budget_micro_usd bigint check (budget_micro_usd >= 0),
          changed_by text not null,
          changed_at timestamptz(3) not null default now(),
          check ((kind = 'limited') = (budget_micro_usd is not null))
        )`);
      await query(`
        create index ${index('budgets_of_company')} on ${companyBudgets} (user_company_id, change_id desc)`);
    }
  },
};
