import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createWarehouse } from '@tradewind/cloud-ports';
import { createGatewayDatabase, fingerprint, fingerprints, type GatewayDatabase } from '../../test/gateway-database.js';
import { startEntryPoint } from '../../test/run-entry-point.js';

const owner = '0b0e7e52-1111-4111-8111-000000000001';

describe('the sample data', () => {
  let database: GatewayDatabase;
  const sql = async (text: string) => (await database.client.query<Record<string, unknown>>(text)).rows;

  beforeAll(async () => {
    database = await createGatewayDatabase();
    // The entry point takes the lock of the data tools itself.
    await database.client.query('select pg_advisory_unlock_all()');
    const { code, output } = await startEntryPoint('sample', [], database.settings).ended;
    expect([code, output]).toEqual([
      0,
      expect.stringContaining('503 companies, 5000 persons, 2000 deals and 5000 contacts added'),
    ]);
  }, 120_000);
  afterAll(() => database.drop());

  it('has every real company with industry, country and head office', async () => {
    const missing = `select ticker from company where industry_id is null or country_id is null or name is null or is_public is not true
      or (headquarters is null and ticker <> 'XYZ') or founded_year is null`;
    expect(await sql(missing)).toEqual([]);
    expect(await sql('select count(*)::int as count, count(distinct ticker)::int as tickers from company')).toEqual([
      { count: 503, tickers: 503 },
    ]);
    expect(
      await sql(`select company.name, ticker, headquarters, founded_year, industry.name as industry, country.alpha2_code as country
        from company join industry on industry.id = industry_id join country on country.id = country_id where ticker in ('MMM', 'NOC', 'ACN') order by ticker`),
    ).toEqual([
      {
        name: 'Accenture',
        ticker: 'ACN',
        headquarters: 'Dublin, Ireland',
        founded_year: 1989,
        industry: 'IT Consulting & Services',
        country: 'IE',
      },
      {
        name: '3M',
        ticker: 'MMM',
        headquarters: 'Saint Paul, Minnesota',
        founded_year: 1902,
        industry: 'Diversified Holding Companies',
        country: 'US',
      },
      {
        name: 'Northrop Grumman',
        ticker: 'NOC',
        headquarters: 'West Falls Church, Virginia',
        founded_year: 1994,
        industry: 'Aerospace & Defense',
        country: 'US',
      },
    ]);
  });

  it('marks the figures of real companies as sample values', async () => {
    const claims = `select ticker from company where description not like '%are sample values.' or (revenue->>'isVerified')::boolean
      or (market_cap->>'isVerified')::boolean or (marketing_budget->>'isVerified')::boolean`;
    expect(await sql(claims)).toEqual([]);
  });

  it('links deals and contacts to existing companies and persons', async () => {
    expect(
      await sql('select count(*)::int as count from deal where not buyer_company_ids <@ array(select id from company)'),
    ).toEqual([{ count: 0 }]);
    expect(
      await sql('select count(*)::int as count from contact where person_id not in (select id from person)'),
    ).toEqual([{ count: 0 }]);
    expect(
      await sql(`select count(*) > 1000 as many from contact where company_id is not null and person_id is not null`),
    ).toEqual([{ many: true }]);
  });

  it('has 250 priority people with a handle, and five without', async () => {
    const warehouse = await createWarehouse({
      CLOUD: 'embedded',
      WAREHOUSE_DATABASE_URL: database.settings.warehouseDatabaseUrl,
      WAREHOUSE_POOL_SIZE: 1,
      BIGQUERY_DATASET: 'tradewind',
      BIGQUERY_LOCATION: 'EU',
      BIGQUERY_WRITE: 'insert_all',
    });
    try {
      const people = [];
      for await (const page of warehouse.readPriorityPeople({ pageSize: 100 })) people.push(...page);
      const handles = people.flatMap(({ network_username }) => (network_username === null ? [] : [network_username]));
      expect([people.length, handles.length, new Set(handles.map((handle) => handle.toLowerCase())).size]).toEqual([
        255, 250, 250,
      ]);
      expect(handles.every((handle) => /^[A-Za-z0-9-]+$/.test(handle))).toBe(true);
    } finally {
      await warehouse.onApplicationShutdown();
    }
  });

  it('changes nothing when it is written again', async () => {
    const before = await fingerprints(database.client);
    const version = await sql('select entity, version from data_version order by entity');
    const { code } = await startEntryPoint('sample', [], database.settings).ended;
    expect(code).toBe(0);
    expect(await fingerprints(database.client)).toEqual(before);
    expect(await sql('select entity, version from data_version order by entity')).toEqual(version);
  }, 60_000);

  it('gives half of the contacts to owners who are created later, once', async () => {
    expect((await startEntryPoint('sample', ['--owner-ids', owner], database.settings).ended).code).toBe(0);
    expect(await sql(`select count(*)::int as count from contact where owner_id = '${owner}'`)).toEqual([
      { count: 2500 },
    ]);
    const before = await fingerprint(database.client, 'contact');
    expect((await startEntryPoint('sample', ['--owner-ids', owner], database.settings).ended).code).toBe(0);
    expect(await fingerprint(database.client, 'contact')).toBe(before);
  }, 60_000);
});
