import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createGatewayDatabase, fingerprint, fingerprints, type GatewayDatabase } from '../../test/gateway-database.js';
import { restoreIndexes, suspendIndexes } from '../suspended-indexes.js';
import { seedTables } from './seed-tables.js';

const rows = { company: 300, person: 300, deal: 400, contact: 300 };
const owner = '0b0e7e52-1111-4111-8111-000000000001';

describe('seedTables', () => {
  let database: GatewayDatabase;
  const prints = (of: GatewayDatabase) => fingerprints(of.client);

  beforeEach(async () => {
    database = await createGatewayDatabase();
  });
  afterEach(() => database.drop());

  it('gives the same rows for the same numbers, and others for another seed', async () => {
    const options = { rows, seed: 1, ownerIds: [owner] };
    expect(await seedTables(database.client, options)).toEqual(rows);
    const other = await createGatewayDatabase();
    const third = await createGatewayDatabase();
    try {
      await seedTables(other.client, options);
      await seedTables(third.client, { ...options, seed: 2 });
      expect(await prints(other)).toEqual(await prints(database));
      expect(await fingerprint(third.client, 'company')).not.toBe(await fingerprint(database.client, 'company'));
    } finally {
      await other.drop();
      await third.drop();
    }
  });

  it('continues where it stopped: two runs give the same as one', async () => {
    await seedTables(database.client, { rows: { ...rows, deal: 0, contact: 0, company: 100 }, seed: 1, ownerIds: [] });
    expect(await seedTables(database.client, { rows, seed: 1, ownerIds: [] })).toEqual({
      company: 200,
      person: 0,
      deal: 400,
      contact: 300,
    });
    expect(await seedTables(database.client, { rows, seed: 1, ownerIds: [] })).toEqual({
      company: 0,
      person: 0,
      deal: 0,
      contact: 0,
    });
    const whole = await createGatewayDatabase();
    try {
      await seedTables(whole.client, { rows, seed: 1, ownerIds: [] });
      expect(await prints(database)).toEqual(await prints(whole));
    } finally {
      await whole.drop();
    }
  });

  it('writes consistent rows', async () => {
    await seedTables(database.client, { rows, seed: 1, ownerIds: [owner] });
    const { rows: faults } = await database.client.query(
      `
      with multiplier(name, factor) as (values ('UNITS', 1), ('THOUSANDS', 1e3), ('MILLIONS', 1e6), ('BILLIONS', 1e9))
      select 'amount' as fault, id from company join multiplier on name_of(revenue) = multiplier.name
        where revenue_amount <> round((revenue->>'value')::numeric * factor)
      union all select 'revenue', id from company where (revenue is null) <> (revenue_amount is null)
      union all select 'sector', company.id from company join industry on industry.id = industry_id where industry.sector_id <> company.sector_id
      union all select 'regions', company.id from company
        where region_ids <> array(select region_id from region_country where region_country.country_id = company.country_id order by 1)
      union all select 'city', id from company where not location_ids @> headquarters_location_ids
      union all select 'dates', id from deal where end_date < start_date
      union all select 'announced in the future', id from deal where announced_date > '2026-10-31'
      union all select 'announced after the start', id from deal where announced_date > start_date
      union all select 'buyer', deal.id from deal join company on company.id = buyer_company_ids[1] where company.name <> buyer_company_names[1]
      union all select 'industry', deal.id from deal join company on company.id = buyer_company_ids[1] where not buyer_industry_ids @> array[company.industry_id]
      union all select 'unknown buyer', id from deal where not exists (select from company where company.id = buyer_company_ids[1])
      union all select 'company', contact.id from contact join company on company.id = company_id where company.name is distinct from company_name
      union all select 'person', contact.id from contact join person on person.id = person_id where person.name is distinct from person_name
      union all select 'birth', contact.id from contact join person on person.id = person_id where person.birth_date is distinct from person_birth_date
      union all select 'email', id from contact where email is not null and not emails @> array[email]
      union all select 'skills', person.id from person where exists (select from unnest(skill_ids) as s where not exists (select from skill where skill.id = s))
    `.replace('name_of(revenue)', `(revenue->>'multiplier')`),
    );
    expect(faults).toEqual([]);
    const { rows: shares } = await database.client.query(
      `select count(*) filter (where owner_id = $1) between 100 and 200 as owned, bool_or(not is_shared) as private,
        bool_and(is_shared or owner_id is not null) as reachable from contact`,
      [owner],
    );
    expect(shares).toEqual([{ owned: true, private: true, reachable: true }]);
  });

  it('counts no synthetic money as verified', async () => {
    await seedTables(database.client, { rows, seed: 1, ownerIds: [] });
    const { rowCount } = await database.client.query(`select from company where (revenue->>'isVerified')::boolean`);
    expect(rowCount).toBe(0);
  });

  it('restores suspended indexes exactly, even after a crash', async () => {
    const indexes = async () =>
      (
        await database.client.query<{ indexdef: string }>(
          `select indexdef from pg_indexes where schemaname = 'graphql_gateway' order by 1`,
        )
      ).rows;
    const before = await indexes();
    await suspendIndexes(database.client, 'deal');
    expect((await indexes()).length).toBeLessThan(before.length - 10);
    // As after a crash: another run suspends again and restores.
    await suspendIndexes(database.client, 'deal');
    await restoreIndexes(database.client);
    expect(await indexes()).toEqual(before);
  });
});
