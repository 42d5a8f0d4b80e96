// Migrations of a database with records, keys, an audit log and counters, while it is in use.
import { describe, expect, it } from '@jest/globals';
import { migrateDatabase } from '@tradewind/service-kit';
import { migrationFaults } from '@tradewind/testkit';
import { migrations } from './migrations.js';

const rows = {
  '0001-data-tables': `
    insert into sector values (1, 'Finance');
    insert into industry values (1, 'Banking', 1);
    insert into region values (1, 'Europe', null), (2, 'Nordics', 1);
    insert into country values (1000, 'Sweden', null, null, 'SE', 'SWE');
    insert into region_country values (2, 1000);
    insert into city values (10000, 'Malmö', 1000);
    insert into sport values (1, 'Football');
    insert into category values (1, 'Clubs');
    insert into language values (1, 'Swedish');
    insert into skill values (1, 'Negotiation');
    insert into company (id, name, ticker, industry_id, country_id, region_ids, location_ids, revenue_amount)
      select n, 'Äpple & Söner ' || n, 'T' || n, 1, 1000, '{1,2}', array[10000, n], n * 1000000000::bigint from generate_series(1, 500) as n;
    insert into person (id, name, role, birth_date, country_id, skill_ids)
      select n, 'Åsa Öberg ' || n, 'Director', date '1980-02-29', 1000, '{1}' from generate_series(1, 500) as n;
    insert into deal (id, title, type, announced_date, start_date, end_date, buyer_company_ids, buyer_company_names)
      select n, 'Deal ' || n, 'SPONSORSHIP', date '2028-02-29' - n, date '2028-02-29' + n, date '2028-02-29' + 2 * n, array[n], array['Äpple ' || n]
        from generate_series(1, 500) as n;
    insert into contact (id, name, email, matching_status) select n, 'Contact ' || n, 'c' || n || '@example.com', 'MATCHED' from generate_series(1, 500) as n`,
  '0002-api-keys': `
    insert into api_key (user_id, user_email, name, prefix, key_hash, created_at, expires_at)
      select gen_random_uuid(), 'user@example.com', 'key', 'svc_aaaa', sha256(n::text::bytea), now(), now() + interval '365 days'
        from generate_series(1, 100) as n;
    insert into api_key_audit (at, outcome, key_id) select timestamptz '2026-02-28T23:59:59.999Z' + n * interval '1 day', 'used', gen_random_uuid()
      from generate_series(0, 400) as n`,
  '0003-limits': `
    insert into daily_quota select gen_random_uuid(), date '2028-02-29', n from generate_series(1, 100) as n;
    insert into request_window select 'user:' || n, now(), n from generate_series(1, 100) as n`,
  '0004-company-changes': `update company set name = name || ' AB'`,
  '0012-plain-list-indexes': `update person set role = 'Chair'; delete from contact where id = 500`,
  '0015-parts-of-large-changes': `
    insert into company (id, name) select n, 'Company' from generate_series(1001, 11001) as n;
    delete from company where id > 1000`,
  '0011-ended-credentials': `insert into ended_credentials select gen_random_uuid(), n from generate_series(1, 100) as n`,
  '0016-key-requests': `
    insert into key_request select gen_random_uuid(), sha256(n::text::bytea), '\\x00', '\\x00', now() + n * interval '1 minute'
      from generate_series(-50, 50) as n`,
};

describe('migrations of graphql-gateway', () => {
  it('take a filled database forward while it is read, written and migrated by another process', async () => {
    // Rows have made the tables of their months.
    const isMadeByRows = (line: string) => /api_key_audit_\d{4}_\d\d/.test(line);
    expect(
      await migrationFaults({ schema: 'graphql_gateway', migrations, migrateDatabase, rows, isMadeByRows }),
    ).toEqual([]);
  }, 60_000);
});
