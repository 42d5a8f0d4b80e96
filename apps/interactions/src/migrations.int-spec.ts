// Migrations of trackers with jobs in every stage, while they are in use.
import { describe, expect, it } from '@jest/globals';
import { migrateDatabase } from '@tradewind/service-kit';
import { environments } from '@tradewind/shared-types';
import { migrationFaults } from '@tradewind/testkit';
import { migrations } from './migrations.js';
import { trackerTables } from './tracker/tracker-tables.js';

const oldest = environments.map((environment) => {
  const { tracker, webhookInbox, leftOverItems } = trackerTables(environment);
  return `
    insert into ${tracker} (job_id, "networkUsername", "entityType", status, user_company_id, provider_run_id, posts_count,
        reactions_count, comments_count, completed_date, target_key, input, stage)
      select gen_random_uuid(), 'handle' || n, (array['PERSON', 'COMPANY'])[n % 2 + 1], status, 'acme', 'run' || n,
             n, n, n, case when stage = 'done' then now() end, 'PERSON handle' || n, '{"maxPosts":10}', stage
        from generate_series(1, 300) as n,
             lateral (select (array['PENDING', 'RUNNING', 'RUNNING', 'COMPLETED', 'FAILED', 'ABORTED'])[n % 6 + 1] as status,
                             (array['queued', 'following', 'storing', 'done', 'done', 'done'])[n % 6 + 1] as stage) as at;
    insert into ${webhookInbox} (provider_run_id, event_type, payload, processed_at)
      select 'run' || n, 'SUCCEEDED', '{"a":"\\u0000"}', case when n % 2 = 0 then now() end from generate_series(1, 100) as n;
    insert into ${leftOverItems} (provider_run_id, position, reason, raw)
      select 'run1', n::text, 'no_id', '{"text":"\\ud800"}' from generate_series(1, 20) as n;`;
});

const money = environments.map((environment) => {
  const { tracker, companyCosts, companyBudgets } = trackerTables(environment);
  return `
    update ${tracker} set cost_micro_usd = 250000, cost_due_at = now() where stage = 'done';
    insert into ${companyCosts} values ('acme', '2026-10-31', 250000), ('acme', '2026-11-01', 250000);
    insert into ${companyBudgets} (user_company_id, kind, budget_micro_usd, changed_by)
      values ('acme', 'limited', 100000000, 'operator'), ('acme', 'default', null, 'operator');`;
});

const entries = environments.map((environment) => {
  const { tracker, timeline } = trackerTables(environment);
  return `
    insert into ${timeline} (job_id, kind, details)
      select job_id, 'provider_call', '{"operation":"start"}' from ${tracker} limit 50;
    update ${tracker} set error = 'late' where stage = 'done' and status = 'FAILED';`;
});

const rows = { '0001-tracker': oldest.join('\n'), '0003-costs': money.join('\n'), '0004-timeline': entries.join('\n') };

describe('migrations of interactions', () => {
  it('take a filled database forward while it is read, written and migrated by another process', async () => {
    expect(await migrationFaults({ schema: 'interactions', migrations, migrateDatabase, rows })).toEqual([]);
  }, 60_000);
});
