import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createGatewayDatabase, fingerprints, type GatewayDatabase } from '../../test/gateway-database.js';
import { startEntryPoint } from '../../test/run-entry-point.js';
import type { Entity } from '../data-tables.js';
import { importFile } from './import-file.js';

describe('importFile', () => {
  let database: GatewayDatabase;
  let folder: string;

  beforeEach(async () => {
    database = await createGatewayDatabase();
    folder = mkdtempSync(join(tmpdir(), 'tradewind-import-test-'));
  });
  afterEach(async () => {
    await database.drop();
    rmSync(folder, { recursive: true, force: true });
  });

  function file(name: string, content: string): string {
    const path = join(folder, name);
    writeFileSync(path, content);
    return path;
  }

  const ndjson = (records: readonly object[]) => records.map((record) => `${JSON.stringify(record)}\n`).join('');
  const importContent = (entity: Entity, name: string, content: string) =>
    importFile(database.client, { entity, path: file(name, content), isQuiet: true });
  const sql = async (text: string) => (await database.client.query<Record<string, unknown>>(text)).rows;
  const report = (name: string) =>
    readFileSync(join(folder, `${name}.refused.csv`), 'utf8')
      .trim()
      .split('\n');

  it('inserts companies of a CSV file, with all derived columns', async () => {
    const csv = [
      '\uFEFFid,name,industry,country,headquarters,locations,topMarkets,numberOfEmployees,isPublic,revenue.value,revenue.currency,revenue.multiplier,description',
      '7,"Nestlé, S.A.",Packaged_Foods,CH,"Vevey, Switzerland",Dublin|Zurich,DACH|Nordics,270000,yes,91.35,CHF,BILLIONS,"Two',
      'lines, ""quoted"""',
      '8,Empty Ltd,,,,,,,,,,,',
    ].join('\r\n');
    await database.client.query(`insert into region (id, name) values (1, 'EMEA')`);
    expect(await importContent('company', 'companies.csv', csv)).toMatchObject({
      records: 2,
      inserted: 2,
      updated: 0,
      refused: 0,
      reportPath: undefined,
    });
    expect(
      await sql(`select name, name_normalised, industry_id, sector_id, country_id, headquarters, description, is_public, number_of_employees, revenue, revenue_amount,
        region_ids @> '{1,2,3,4}' as regions, top_market_region_ids @> '{4,7}' as markets,
        (select array_agg(city.name order by city.name) from city where city.id = any(location_ids)) as cities,
        (select array_agg(city.name) from city where city.id = any(headquarters_location_ids)) as head from company where id = 7`),
    ).toEqual([
      {
        name: 'Nestlé, S.A.',
        name_normalised: 'nestle s a',
        industry_id: expect.any(String),
        sector_id: '14',
        country_id: '1756',
        headquarters: 'Vevey, Switzerland',
        description: 'Two\r\nlines, "quoted"',
        is_public: true,
        number_of_employees: '270000',
        revenue: {
          value: 91.35,
          currency: 'CHF',
          multiplier: 'BILLIONS',
          isVerified: false,
          localCurrency: null,
          localCurrencyValue: null,
          localCurrencyValueMultiplier: null,
        },
        revenue_amount: '91350000000',
        regions: true,
        markets: true,
        cities: ['Dublin', 'Vevey', 'Zurich'],
        head: ['Vevey'],
      },
    ]);
    expect(
      await sql(
        'select industry_id, revenue, revenue_amount, region_ids, location_ids, is_public from company where id = 8',
      ),
    ).toEqual([
      { industry_id: null, revenue: null, revenue_amount: null, region_ids: [], location_ids: [], is_public: null },
    ]);
  });

  it('refuses bad rows with their line and every reason, and imports the others', async () => {
    const csv = [
      'id,name,industry,country,lastFundingDate,revenue.value,revenue.currency',
      '1,Good,Accounting,DE,2024-02-29,5,EUR',
      'x,Bad id,,,,,',
      '2,,Acounting,Germny,2023-02-29,abc,EUR',
      '3,"Line',
      'break",,,,,',
      '4,Too,many,cells,in,this,line,really',
      '5,No currency,,,,5,',
      '5,Good after all,,,,,',
      ',No id,,,,,',
    ].join('\n');
    expect(await importContent('company', 'companies.csv', csv)).toMatchObject({ records: 8, inserted: 3, refused: 5 });
    expect(report('companies.csv')).toEqual([
      'line,id,reasons',
      '3,x,"id: ""x"" is not a positive whole number"',
      expect.stringMatching(
        /^4,2,"industry: there is no industry ""Acounting""; the nearest are Accounting.*; country: there is no country ""Germny""; the nearest are Germany.*; lastFundingDate: ""2023-02-29"" is not a date YYYY-MM-DD; revenue: ""abc"" is not an amount; name: is empty"$/,
      ),
      '7,,"the line has 8 cells, the header has 7"',
      '8,5,revenue: currency is missing',
      '10,,id: is missing',
    ]);
    expect(await sql('select id, name from company order by id')).toEqual([
      { id: '1', name: 'Good' },
      { id: '3', name: 'Line\nbreak' },
      { id: '5', name: 'Good after all' },
    ]);
  });

  it('refuses broken lines of NDJSON, and rows that only the database can find invalid', async () => {
    const content = [
      '{"id": 1, "name": "One"}',
      '{"id": 2, "name": ',
      '[3]',
      '{"id": 4, "name": "Four", "colour": "red"}',
      '{"id": 5}',
      `{"id": 6, "name": "${'Ἀ'.repeat(490)} ${Array.from({ length: 490 }, (_, index) => String.fromCodePoint(0x4e00 + ((index * 7919) % 20000))).join('')} ${Array.from({ length: 490 }, (_, index) => String.fromCodePoint(0x4e00 + ((index * 104729) % 20000))).join('')}"}`,
      '',
      '{"id": "7", "name": "Seven"}',
    ].join('\n');
    expect(await importContent('company', 'companies.ndjson', content)).toMatchObject({
      records: 7,
      inserted: 2,
      refused: 5,
    });
    expect(report('companies.ndjson')).toEqual([
      'line,id,reasons',
      expect.stringMatching(/^2,,"?the line is not JSON: /),
      '3,,the line is not a JSON object',
      '4,4,colour: there is no such field',
      '5,5,name: is missing',
      expect.stringMatching(/^6,6,"?the database refuses the row: index row size/),
    ]);
    expect(await sql('select id from company order by id')).toEqual([{ id: '1' }, { id: '7' }]);
  });

  it('updates existing rows: an absent field stays, null clears', async () => {
    await importContent(
      'company',
      'a.ndjson',
      ndjson([{ id: 1, name: 'Old', ticker: 'OLD', foundedYear: 1900, country: 'DE', categories: ['Brand'] }]),
    );
    const result = await importContent(
      'company',
      'b.ndjson',
      ndjson([
        { id: 1, name: 'New', ticker: null },
        { id: 2, name: 'Other' },
      ]),
    );
    expect(result).toMatchObject({ inserted: 1, updated: 1, refused: 0 });
    expect(await sql('select name, ticker, founded_year, country_id, category_ids from company where id = 1')).toEqual([
      { name: 'New', ticker: null, founded_year: 1900, country_id: '1276', category_ids: ['1'] },
    ]);
  });

  it('lets a repeated row of one file update the first', async () => {
    const content = ndjson([
      { id: 1, name: 'First', ticker: 'ONE' },
      { id: 2, name: 'Two' },
      { id: 1, name: 'Again' },
    ]);
    expect(await importContent('company', 'a.ndjson', content)).toMatchObject({ inserted: 2, updated: 1 });
    expect(await sql('select name, ticker from company where id = 1')).toEqual([{ name: 'Again', ticker: 'ONE' }]);
  });

  it('lets a repeated row update the first although its id is written in another way', async () => {
    await importContent('company', 'a.csv', 'id,name\n7,Seven\n');
    const result = await importContent('company', 'b.csv', 'id,name\n7,First\n007,Again\n');
    expect(result).toMatchObject({ records: 2, inserted: 0, updated: 2, refused: 0 });
    expect(await sql('select name from company')).toEqual([{ name: 'Again' }]);
  });

  it('refuses to write the report over the file', async () => {
    const path = file('x.csv', 'id,name\n1,\n');
    const reportPath = join(folder, '.', 'sub', '..', 'x.csv');
    const imported = importFile(database.client, { entity: 'company', path, reportPath, isQuiet: true });
    await expect(imported).rejects.toThrow('the report needs another file');
    expect(readFileSync(path, 'utf8')).toBe('id,name\n1,\n');
  });

  describe('with companies and persons', () => {
    beforeEach(async () => {
      await importContent(
        'company',
        'companies.ndjson',
        ndjson([
          {
            id: 1,
            name: 'Buyer',
            industry: 'Airlines',
            country: 'DE',
            categories: ['Brand'],
            parentCompanyId: 2,
            revenue: { value: 2, currency: 'EUR', multiplier: 'MILLIONS' },
          },
          {
            id: 2,
            name: 'Parent',
            industry: 'Tires',
            country: 'US',
            revenue: { value: 3, currency: 'USD', multiplier: 'MILLIONS' },
          },
        ]),
      );
      await importContent(
        'person',
        'persons.csv',
        'id,firstName,lastName,birthDate,skills,identifiers,grossSalary.value,grossSalary.currency\n9,Zoë,Keller,1990-05-01,Negotiation|Falconry,NETWORK=zoe-keller|X=@zoe,1000,CHF\n',
      );
    });

    it('fills what deals copy from companies and persons, and keeps it up to date', async () => {
      const deal = {
        id: 5,
        title: 'A deal',
        buyerCompanyIds: [2, 1],
        sellerCompanyIds: [1],
        sponsoredPersonIds: [9],
        sports: ['Football', 'Falconry'],
        startDate: '2026-01-01',
        endDate: '2026-12-31',
      };
      expect(await importContent('deal', 'deals.ndjson', ndjson([deal]))).toMatchObject({ inserted: 1, refused: 0 });
      const copies = `select buyer_company_names, seller_company_names, sponsored_person_names, buyer_industry_ids, buyer_parent_company_ids,
        buyer_category_ids, buyer_revenue_amount, seller_industry_ids, deal_length, buyer_region_ids @> '{4,38}' as regions from deal`;
      const expected = {
        buyer_company_names: ['Parent', 'Buyer'],
        seller_company_names: ['Buyer'],
        sponsored_person_names: ['Zoë Keller'],
        buyer_industry_ids: expect.any(Array),
        buyer_parent_company_ids: ['2'],
        buyer_category_ids: ['1'],
        buyer_revenue_amount: '3000000',
        seller_industry_ids: expect.any(Array),
        deal_length: 364,
        regions: false,
      };
      expect(await sql(copies)).toEqual([{ ...expected, regions: true }]);
      await importContent(
        'company',
        'c.ndjson',
        ndjson([
          {
            id: 1,
            name: 'Renamed',
            categories: [],
            parentCompanyId: null,
            revenue: { value: 4, currency: 'EUR', multiplier: 'MILLIONS' },
          },
        ]),
      );
      await importContent('person', 'p.ndjson', ndjson([{ id: 9, name: 'Zoë Meyer' }]));
      expect(await sql(copies)).toEqual([
        {
          ...expected,
          buyer_company_names: ['Parent', 'Renamed'],
          seller_company_names: ['Renamed'],
          sponsored_person_names: ['Zoë Meyer'],
          buyer_parent_company_ids: [],
          buyer_category_ids: [],
          buyer_revenue_amount: '4000000',
          regions: true,
        },
      ]);
    });

    it('refuses deals of unknown companies, and dates out of order, even with stored ones', async () => {
      await importContent('deal', 'a.ndjson', ndjson([{ id: 1, title: 'One', startDate: '2026-06-01' }]));
      const deals = [
        { id: 1, endDate: '2026-05-31' },
        { id: 2, title: 'Two', buyerCompanyIds: [1, 77], sellerPersonIds: [9, 88] },
        { id: 3, title: 'Three', startDate: '2026-02-01', endDate: '2026-01-01' },
        { id: 4, title: 'Four', type: 'ENDORSEMENT' },
      ];
      expect(await importContent('deal', 'b.ndjson', ndjson(deals))).toMatchObject({
        inserted: 0,
        updated: 0,
        refused: 4,
      });
      expect(report('b.ndjson')).toEqual([
        'line,id,reasons',
        '1,1,endDate: 2026-05-31 is before the start date 2026-06-01',
        '2,2,buyerCompanyIds: there is no company 77; sellerPersonIds: there is no person 88',
        '3,3,endDate: 2026-01-01 is before the start date 2026-02-01',
        '4,4,"type: ""ENDORSEMENT"" is not one of SPONSORSHIP, MEDIA, FULL_DEAL, RELATIONSHIP"',
      ]);
    });

    it('fills what contacts copy and gives flags their defaults', async () => {
      const contacts = [
        {
          id: 1,
          name: 'Zoë',
          email: 'zoe@example.com',
          emails: ['z@example.com'],
          companyId: 1,
          personId: 9,
          ownerId: '0B0E7E52-1111-4111-8111-000000000001',
          isShared: false,
        },
        { id: 2, firstName: 'Ann', lastName: 'Lee', email: 'ann@example.com' },
        { id: 3, name: 'Lost', companyId: 404 },
      ];
      expect(await importContent('contact', 'contacts.ndjson', ndjson(contacts))).toMatchObject({
        inserted: 2,
        refused: 1,
      });
      expect(report('contacts.ndjson')[1]).toBe('3,3,companyId: there is no company 404');
      expect(
        await sql(`select name, emails, company_name, person_name, person_birth_date::text as born, person_gross_salary_amount as salary, owner_id, is_shared, is_contact, is_deleted,
          created_at > now() - interval '1 minute' as fresh from contact order by id`),
      ).toEqual([
        {
          name: 'Zoë',
          emails: ['zoe@example.com', 'z@example.com'],
          company_name: 'Buyer',
          person_name: 'Zoë Keller',
          born: '1990-05-01',
          salary: '1000',
          owner_id: '0b0e7e52-1111-4111-8111-000000000001',
          is_shared: false,
          is_contact: true,
          is_deleted: false,
          fresh: true,
        },
        {
          name: 'Ann Lee',
          emails: ['ann@example.com'],
          company_name: null,
          person_name: null,
          born: null,
          salary: null,
          owner_id: null,
          is_shared: true,
          is_contact: true,
          is_deleted: false,
          fresh: true,
        },
      ]);
      await importContent('person', 'p.ndjson', ndjson([{ id: 9, name: 'Zoë Meyer', birthDate: null }]));
      await importContent('contact', 'c.ndjson', ndjson([{ id: 2, email: 'lee@example.com' }]));
      expect(await sql('select person_name, person_birth_date, emails from contact order by id')).toEqual([
        { person_name: 'Zoë Meyer', person_birth_date: null, emails: ['zoe@example.com', 'z@example.com'] },
        { person_name: null, person_birth_date: null, emails: ['ann@example.com', 'lee@example.com'] },
      ]);
    });

    it('adds skills that are new, and raises the data versions', async () => {
      expect(
        await sql(
          `select array_agg(skill.name order by skill.name) as skills from person join skill on skill.id = any(skill_ids)`,
        ),
      ).toEqual([{ skills: ['Falconry', 'Negotiation'] }]);
      expect(await sql('select identifiers from person')).toEqual([
        {
          identifiers: [
            { name: 'NETWORK', value: 'zoe-keller' },
            { name: 'X', value: '@zoe' },
          ],
        },
      ]);
      expect(await sql(`select entity from data_version where version > 1 order by entity`)).toEqual([
        { entity: 'company' },
        { entity: 'lookup' },
        { entity: 'person' },
      ]);
    });
  });

  it.each([
    ['companies.csv', 'id,name,colour\n1,x,red\n', 'the header names unknown fields: colour'],
    ['companies.csv', 'name\nx\n', 'the header has no field "id"'],
    ['companies.csv', '', 'the file is empty'],
    ['companies.csv', 'id,id\n1,1\n', 'the header names "id" twice'],
    ['companies.csv', 'id,name\n1,"never closed\n2,x\n', 'cannot be read after line'],
    ['companies.xlsx', '', 'the name must end in .csv or .ndjson'],
  ])('takes nothing of a file that is wrong as a whole: %s %j', async (name, content, message) => {
    await expect(importContent('company', name, content)).rejects.toThrow(message);
    expect(await sql('select from company')).toEqual([]);
  });

  it('comes to the same end when it is run again after kill -9, naming each refused row once', async () => {
    // Over 5 MB, so that the indexes are suspended when the run is killed.
    const rowCount = 24_000;
    const description = 'A company among many. '.repeat(11);
    const indexes = () => sql(`select indexdef from pg_indexes where schemaname = 'graphql_gateway' order by indexdef`);
    const indexesBefore = await indexes();
    const lines = Array.from({ length: rowCount }, (_, index) =>
      index % 1000 === 500 ? `${index + 1},,DE,` : `${index + 1},Company ${index},DE,${description}`,
    );
    const path = file('companies.csv', `id,name,country,description\n${lines.join('\n')}\n`);
    await database.client.query('select pg_advisory_unlock_all()');
    const first = startEntryPoint('import', ['companies', path], database.settings);
    await waitFor(async () => {
      const [found] = await sql('select count(*)::int as count from company');
      return Number(found!['count']) > 0;
    });
    first.process.kill('SIGKILL');
    await first.ended;
    const [{ count }] = (await sql('select count(*)::int as count from company')) as [{ count: number }];
    expect(count).toBeGreaterThan(0);
    expect(count).toBeLessThan(rowCount - 24);
    // The server frees the lock when it notices that the connection is gone.
    await waitFor(async () => (await sql(`select from pg_locks where locktype = 'advisory' and granted`)).length === 0);

    expect((await indexes()).length).toBeLessThan(indexesBefore.length);

    const { code, output } = await startEntryPoint('import', ['companies', path], database.settings).ended;
    expect(await indexes()).toEqual(indexesBefore);
    expect(output).toContain(`${rowCount} records`);
    expect(output).toContain(`${23_976 - count} new, 0 updated, ${count} unchanged, 24 refused`);
    expect(code).toBe(3);
    expect(await sql('select count(*)::int as count from company')).toEqual([{ count: 23_976 }]);
    const refused = report('companies.csv');
    expect(refused).toHaveLength(25);
    expect(new Set(refused).size).toBe(25);
    expect(refused[1]).toBe('502,501,name: is empty');
    // Finished: the same file is imported again, and changes nothing.
    const before = await fingerprints(database.client);
    const again = await startEntryPoint('import', ['companies', path], database.settings).ended;
    expect(again.output).toContain('0 new, 0 updated, 23976 unchanged, 24 refused');
    expect(await fingerprints(database.client)).toEqual(before);
  }, 300_000);

  it('refuses a second import at the same time', async () => {
    const path = file('companies.csv', 'id,name\n1,x\n');
    const { code, output } = await startEntryPoint('import', ['companies', path], database.settings).ended;
    expect([code, output]).toEqual([
      1,
      expect.stringContaining('Another seed or import works on schema graphql_gateway'),
    ]);
  });

  it.each([
    [[], 2, 'Name what the file holds'],
    [['people', 'x.csv'], 2, 'not "people"'],
    [['companies'], 2, 'Name one file.'],
    [['companies', 'x.csv', '--fast'], 2, '--fast'],
    [['companies', '/nowhere/x.csv'], 1, 'cannot be read'],
    [['--help'], 0, 'Usage: npm run import'],
  ])('answers %j with exit code %i', async (args, exitCode, text) => {
    await database.client.query('select pg_advisory_unlock_all()');
    const { code, output } = await startEntryPoint('import', args, database.settings).ended;
    expect([code, output]).toEqual([exitCode, expect.stringContaining(text)]);
    expect(existsSync(join(folder, 'x.csv.refused.csv'))).toBe(false);
  });
});

/** Polls until the condition holds; three minutes are far beyond what any of them needs. */
async function waitFor(condition: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 180_000;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error('the condition did not come about within three minutes');
    await sleep(20);
  }
}
