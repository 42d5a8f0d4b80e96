// Migrations of runs that are completed and one that is not, while they are in use.
import { describe, expect, it } from '@jest/globals';
import { migrateDatabase } from '@tradewind/service-kit';
import { migrationFaults } from '@tradewind/testkit';
import { migrations } from './migrations.js';

const rows = {
  '0001-runs': `
    insert into run (month, state, forced, dry_run, total_batches, created_at)
      select '2026-0' || n, 'completed', forced, false, 10, ('2026-0' || n || '-01')::timestamptz + forced::int * interval '1 day'
        from generate_series(1, 5) as n, unnest(array[false, true]) as forced;
    insert into run (month, state, forced, dry_run) values ('2026-06', 'publishing', false, false);
    insert into run_batch (run_id, batch_number, profiles, message, published_at)
      select run_id, n, 2, json_build_object('profiles', json_build_array(
               json_build_object('network_username', 'handle' || n, 'person_id', gen_random_uuid()),
               json_build_object('network_username', 'only' || n || forced, 'person_id', gen_random_uuid()))), now()
        from run, generate_series(1, 10) as n;
    insert into selected_person select run_id, n, gen_random_uuid(), 'handle' || n
      from run, generate_series(1, 100) as n where state = 'publishing'`,
  '0005-callers': `
    insert into retry_request (plan_id, month, requested_by) values (gen_random_uuid(), '2026-02', 'operator')`,
};

describe('migrations of coordinator', () => {
  it('take a filled database forward while it is read, written and migrated by another process', async () => {
    expect(await migrationFaults({ schema: 'coordinator', migrations, migrateDatabase, rows })).toEqual([]);
  }, 60_000);
});
