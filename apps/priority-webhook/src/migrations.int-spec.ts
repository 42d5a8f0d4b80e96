// Migrations of an inbox with finished and unfinished deliveries, while it is in use.
import { describe, expect, it } from '@jest/globals';
import { migrateDatabase } from '@tradewind/service-kit';
import { migrationFaults } from '@tradewind/testkit';
import { migrations } from './migrations.js';

const rows = {
  '0001-deliveries': `
    insert into delivery (identity, network_username, month, received_at, request_status, body, object_name, stored_at,
        backed_up_at, last_error, due_at)
      select 'identity' || n, 'handle' || n % 50, '2026-02', now() - n * interval '1 minute',
             (array['SUCCESS', 'FAILED'])[n % 2 + 1], '{"url":"https://network.example/in/x"}',
             'handle' || n % 50 || '_' || n || '.json', case when n % 3 > 0 then now() end,
             case when n % 4 > 0 then now() end, case when n % 3 = 0 then 'warehouse: away' end, now()
        from generate_series(1, 500) as n;
    insert into unusable_payload (fingerprint, reason, body, first_received_at, last_received_at)
      select md5(n::text), 'url', '{"url":5}', now(), now() from generate_series(1, 20) as n`,
};

describe('migrations of priority-webhook', () => {
  it('take a filled database forward while it is read, written and migrated by another process', async () => {
    expect(await migrationFaults({ schema: 'priority_webhook', migrations, migrateDatabase, rows })).toEqual([]);
  }, 60_000);
});
