// Migrations of profile calls in every state, while they are in use.
import { describe, expect, it } from '@jest/globals';
import { migrateDatabase } from '@tradewind/service-kit';
import { migrationFaults } from '@tradewind/testkit';
import { migrations } from './migrations.js';

const rows = {
  '0001-profile-calls': `
    insert into profile_call (month, network_username, generation, person_id, state, correlation_id, due_at, started_at)
      select '2026-0' || (n % 9 + 1), 'handle' || n, 'monthly', gen_random_uuid(),
             (array['pending', 'starting', 'unknown', 'started', 'refused'])[n % 5 + 1], '2026-0' || (n % 9 + 1) || '.' || n,
             now(), case when n % 5 = 3 then now() end
        from generate_series(1, 500) as n;
    insert into batch_message (message_id, month, batch_number, total_batches, profiles)
      select 'message' || n, '2026-02', n, 100, 100 from generate_series(1, 100) as n;
    insert into dead_letter (fingerprint, reason, message) select md5(n::text), 'attributes', '{"data":"x"}' from generate_series(1, 20) as n;
    insert into provider_pause (until, kind, detail) values (now(), 'capacity', 'full')`,
  '0002-doubt-until': `
    insert into profile_call (month, network_username, generation, person_id, state, correlation_id, due_at, doubt_until)
      values ('2026-10', 'in-doubt', 'monthly', gen_random_uuid(), 'unknown', '2026-10.doubt', now(), now())`,
  '0003-retries': `
    insert into profile_retry (plan_id, month, network_username, generation)
      select gen_random_uuid(), month, network_username, generation from profile_call where state = 'refused'`,
};

describe('migrations of priority-api', () => {
  it('take a filled database forward while it is read, written and migrated by another process', async () => {
    expect(await migrationFaults({ schema: 'priority_api', migrations, migrateDatabase, rows })).toEqual([]);
  }, 60_000);
});
