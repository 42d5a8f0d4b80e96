/* eslint-disable @typescript-eslint/no-unsafe-assignment, @typescript-eslint/no-unsafe-member-access, @typescript-eslint/no-unsafe-argument, @typescript-eslint/no-unsafe-call, @typescript-eslint/no-unsafe-return --
   answers are JSON of any shape, and the assertions judge them */
// The four connections with every field: what the tables hold arrives unchanged, by compiled and by plain execution. A
// page takes one statement, and a count one more.
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { industries, sectors } from '@tradewind/filters';
import { DataStore, type Statement } from '../src/data-store/data-store.js';
import { insertCompanies, insertContacts, insertDeals, insertPersons, money } from './support/records.js';
import { startGateway, type TestGateway } from './support/gateway.js';

const moneyFields =
  '{ value currency multiplier isVerified localCurrency localCurrencyValue localCurrencyValueMultiplier }';
const selections = {
  companiesConnection: `id name imageUrl websiteUrl description headquarters ticker exchange foundedYear lastFundingDate isPublic hasSubsidiary parentCompanyId numberOfEmployees industry { id name } sector { id name } country { id name imageUrl alpha1Code alpha2Code alpha3Code } revenue ${moneyFields} marketCap ${moneyFields} marketingBudget ${moneyFields} fundingRaised ${moneyFields}`,
  personsConnection: `id firstName lastName name gender age skills categoryIds country { id name } identifiers { name value } salary { grossSalary ${moneyFields} grossSalaryLowerRange ${moneyFields} grossSalaryUpperRange ${moneyFields} }`,
  dealsConnection: `id title description type sponsorType announcedDate announcedDateSource startDate startDateSource endDate isEstimate isExclusive renewalOption totalDigitalImpressions annualValue ${moneyFields} totalValue ${moneyFields} buyerCompanies { id name } buyerCompanyIds buyerCompanyNames sellerCompanies { id name } sellerCompanyIds sellerCompanyNames sellerPersonIds sponsoredPersons { id name } sports { id name }`,
  contactsConnection: 'id name firstName lastName email emails company { id name } person { id name }',
};
type Connection = keyof typeof selections;
const connections = Object.keys(selections) as Connection[];
const queryOf = (connection: Connection, extra = '') =>
  `{ ${connection} { ${extra} edges { cursor node { ${selections[connection]} } } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } }`;

const revenue = money(1.5, 'BILLIONS');
const big = '9007199254740993';

const full = {
  companiesConnection: {
    id: '1',
    name: 'Äcme & Söhne',
    imageUrl: 'https://example.com/logo.png',
    websiteUrl: 'https://example.com',
    description: 'Makes things.',
    headquarters: 'Zurich, Switzerland',
    ticker: 'ACM',
    exchange: 'SIX',
    foundedYear: 1902,
    lastFundingDate: '2024-02-29',
    isPublic: true,
    hasSubsidiary: false,
    parentCompanyId: '77',
    numberOfEmployees: 12_345,
    industry: { id: '1', name: industries[0]!.name },
    sector: { id: '1', name: sectors[0]!.name },
    country: { id: '1756', name: 'Switzerland', imageUrl: null, alpha1Code: null, alpha2Code: 'CH', alpha3Code: 'CHE' },
    revenue,
    marketCap: money(2, 'MILLIONS'),
    marketingBudget: money(3, 'THOUSANDS'),
    fundingRaised: null,
  },
  personsConnection: {
    id: '1',
    firstName: 'Maria',
    lastName: 'Keller',
    name: 'Maria Keller',
    gender: 'FEMALE',
    age: expect.any(Number),
    skills: ['Negotiation', 'Analytics'],
    categoryIds: ['2'],
    country: { id: '1756', name: 'Switzerland' },
    identifiers: [{ name: 'network', value: 'https://example.com/in/maria' }],
    salary: {
      grossSalary: money(120, 'THOUSANDS', 'CHF'),
      grossSalaryLowerRange: null,
      grossSalaryUpperRange: money(130, 'THOUSANDS', 'CHF'),
    },
  },
  dealsConnection: {
    id: '1',
    title: 'Jersey sponsorship',
    description: 'For three seasons.',
    type: 'SPONSORSHIP',
    sponsorType: 'Main sponsor',
    announcedDate: '2025-12-31',
    announcedDateSource: 'press',
    startDate: '2026-01-01',
    startDateSource: 'contract',
    endDate: '2028-12-31',
    isEstimate: false,
    isExclusive: true,
    renewalOption: 'RENEWAL',
    totalDigitalImpressions: big,
    annualValue: money(5, 'MILLIONS'),
    totalValue: money(15, 'MILLIONS'),
    buyerCompanies: [{ id: '1', name: 'Äcme & Söhne' }],
    buyerCompanyIds: ['1'],
    buyerCompanyNames: ['Äcme & Söhne'],
    sellerCompanies: [
      { id: '2', name: 'Club A' },
      { id: '3', name: 'Club B' },
    ],
    sellerCompanyIds: ['2', '3'],
    sellerCompanyNames: ['Club A', 'Club B'],
    sellerPersonIds: ['1'],
    sponsoredPersons: [{ id: '1', name: 'Maria Keller' }],
    sports: [{ id: '1', name: 'Football' }],
  },
  contactsConnection: {
    id: '1',
    name: 'Maria Keller',
    firstName: 'Maria',
    lastName: 'Keller',
    email: 'maria@example.com',
    emails: ['maria@example.com', 'm.keller@example.org'],
    company: { id: '1', name: 'Äcme & Söhne' },
    person: { id: '1', name: 'Maria Keller' },
  },
};

describe('connections', () => {
  let gateway: TestGateway;
  let plain: TestGateway;
  const keys = new Map<TestGateway, string>();
  /** Makes the key at once, because Passport verifies tokens for the latest gateway of a process. */
  async function start(): Promise<TestGateway> {
    const started = await startGateway({ DATA_PAGE_SIZE: '2', FILTER_ENGINE: 'postgres' });
    keys.set(started, (await started.newKey()).key);
    await insertRecords(started);
    return started;
  }
  beforeAll(async () => {
    gateway = await start();
    // Every operation is sent to it once, so that graphql-js answers.
    plain = await start();
  });
  afterAll(() => Promise.all([gateway.close(), plain.close()]));

  it.each(connections)('%s answers every field as it is stored', async (connection) => {
    const { status, body } = await gateway.data(keys.get(gateway)!, queryOf(connection, 'totalCount'));
    expect({ status, errors: body.errors }).toEqual({ status: 200, errors: undefined });
    const { totalCount, edges, pageInfo } = body.data[connection];
    expect(totalCount).toBe(3);
    expect(edges[0].node).toEqual(full[connection]);
    expect(pageInfo).toEqual({
      hasNextPage: true,
      hasPreviousPage: false,
      startCursor: edges[0].cursor,
      endCursor: edges[1].cursor,
    });
    expect(body.extensions.dataVersion).toEqual({ [connectionTable[connection]]: expect.stringMatching(/^\d+$/) });
  });

  it('selects every field that the schema has', async () => {
    const { body } = await gateway.data(keys.get(gateway)!, '{ __schema { types { name fields { name } } } }');
    const types = new Map<string, string[]>(
      body.data.__schema.types.map((type: { name: string; fields: { name: string }[] | null }) => [
        type.name,
        (type.fields ?? []).map(({ name }) => name),
      ]),
    );
    for (const [type, connection] of Object.entries({
      Company: 'companiesConnection',
      Person: 'personsConnection',
      Deal: 'dealsConnection',
      Contact: 'contactsConnection',
    })) {
      expect(Object.keys(full[connection as Connection]).sort()).toEqual([...types.get(type)!].sort());
    }
  });

  it.each([
    ...connections.map((connection) => queryOf(connection, 'totalCount')),
    ...connections.map((connection) => `{ ${connection} { edges { node { id } } } }`),
    `{ a: companiesConnection { ...c } b: companiesConnection { totalCount ...c } } fragment c on CompanyConnection { edges { node { ... on Company { id revenue { value } } } } }`,
    `{ companiesConnection { __typename edges { __typename node { __typename name money: revenue { __typename amount: value } } } } __typename }`,
    `{ companiesConnection { totalCount @skip(if: true) edges @include(if: true) { node { id name @skip(if: true) } } } }`,
    `{ dealsConnection(sorters: [{field: "title", direction: "DESC"}]) { edges { node { title } } } }`,
  ])('compiled and plain execution answer alike: %s', async (query) => {
    const answers = [];
    // The first answers of a gateway come from graphql-js, later ones from the compiled query.
    for (let i = 0; i < 3; i++) answers.push(await gateway.data(keys.get(gateway)!, query));
    answers.push(await plain.data(keys.get(plain)!, query));
    const names = (headers: Headers) => [...headers.keys()].filter((name) => name !== 'date').sort();
    for (const { status, headers, body } of answers) {
      expect({ status, body }).toEqual({ status: 200, body: answers[0]!.body });
      expect(names(headers)).toEqual(names(answers[0]!.headers));
      expect(headers.get('content-type')).toBe(answers[0]!.headers.get('content-type'));
      // Key order is part of the answer too.
      expect(JSON.stringify(body)).toBe(JSON.stringify(answers[0]!.body));
    }
  });

  it('reads a page with one statement, whatever is selected', async () => {
    const statements = spyOnStatements(gateway);
    for (const connection of connections) {
      for (const selection of [selections[connection], 'id']) {
        for (let i = 0; i < 3; i++) {
          statements.length = 0;
          await gateway.data(
            keys.get(gateway)!,
            `{ ${connection} { edges { node { ${selection} } } pageInfo { endCursor } } }`,
          );
          expect(statements).toHaveLength(1);
        }
      }
    }
    const { body } = await gateway.data(
      keys.get(gateway)!,
      '{ dealsConnection(sorters: [{field: "endDate"}]) { pageInfo { endCursor } } }',
    );
    statements.length = 0;
    const after = JSON.stringify(body.data.dealsConnection.pageInfo.endCursor);
    await gateway.data(
      keys.get(gateway)!,
      `{ dealsConnection(sorters: [{field: "endDate"}], after: ${after}) { edges { node { id } } } }`,
    );
    expect(statements).toHaveLength(1);
  });

  it('reads only the columns that are asked for', async () => {
    const statements = spyOnStatements(gateway);
    await gateway.data(keys.get(gateway)!, '{ companiesConnection { edges { node { name } } } }');
    expect(statements[0]!.text).toMatch(/^select t\.name, t\.id from company t /);
  });

  it('reads only the part of an object that is asked for', async () => {
    const query =
      '{ personsConnection { edges { node { salary { __typename high: grossSalaryUpperRange { value currency } } } } } }';
    const statements = spyOnStatements(gateway);
    const first = await gateway.data(keys.get(gateway)!, query);
    await gateway.data(keys.get(gateway)!, query);
    const third = await gateway.data(keys.get(gateway)!, query);
    expect(third.body).toEqual(first.body);
    expect(third.body.data.personsConnection.edges[0].node.salary.high.value).toEqual(expect.any(Number));
    expect(statements.at(-1)!.text).toMatch(/^select t\.gross_salary_upper_range, t\.id from person t /);
  });

  it('answers under aliases that plain objects treat specially, by any way of execution', async () => {
    const query = '{ companiesConnection { edges { node { __proto__: id other: id } } } }';
    for (let times = 0; times < 3; times++) {
      const { status, body } = await gateway.data(keys.get(gateway)!, query);
      expect(status).toBe(200);
      expect(JSON.stringify(body)).toMatch(/\{"__proto__":"(\d+)","other":"\1"\}/);
    }
  });

  it('counts only when asked, and again only after the data changed', async () => {
    const statements = spyOnStatements(gateway);
    const counts = () => statements.filter(({ text }) => text.includes('count(*)')).length;
    const ask = async (query: string, variables: Record<string, unknown> = {}) => {
      statements.length = 0;
      return (await gateway.data(keys.get(gateway)!, query, variables)).body.data.companiesConnection;
    };
    const query =
      'query ($searchFilters: InputCompanySearchFilters, $wanted: Boolean = true) { companiesConnection(searchFilters: $searchFilters) { totalCount @include(if: $wanted) edges { node { id } } } }';
    const variables = { searchFilters: { revenue: [{ values: [1], comparison: 'MORE_THAN' }] } };
    await ask(query, { ...variables, wanted: false });
    expect(counts()).toBe(0);
    expect((await ask(query, variables)).totalCount).toBe(1);
    expect(counts()).toBe(1);
    expect((await ask(query, variables)).totalCount).toBe(1);
    expect(counts()).toBe(0);
    await insertCompanies(gateway.sql, [{ id: 500, revenue_amount: 2 }]);
    expect((await ask(query, variables)).totalCount).toBe(2);
    expect(counts()).toBe(1);
    await gateway.sql.query('delete from company where id = 500');
    expect((await ask(query, variables)).totalCount).toBe(1);
    // Parallel callers share one count.
    await gateway.sql.query('update company set name = name where id = 1');
    statements.length = 0;
    await Promise.all(Array.from({ length: 10 }, () => gateway.data(keys.get(gateway)!, query, variables)));
    expect(counts()).toBeLessThanOrEqual(2);
  });

  it('finds look-up rows that were added while it runs', async () => {
    await gateway.sql.query(`insert into skill (id, name) values (99, 'Juggling')`);
    await gateway.sql.query('update person set skill_ids = $1 where id = 2', [[99]]);
    const query =
      'query ($searchFilters: InputPersonsSearchFilters) { personsConnection(searchFilters: $searchFilters) { edges { node { id skills } } } }';
    const variables = { searchFilters: { skills: [{ values: ['juggling'] }] } };
    // The very first request that names it.
    const { edges } = (await gateway.data(keys.get(gateway)!, query, variables)).body.data.personsConnection;
    expect(edges).toEqual([{ node: { id: '2', skills: ['Juggling'] } }]);
  });
});

const connectionTable = {
  companiesConnection: 'company',
  personsConnection: 'person',
  dealsConnection: 'deal',
  contactsConnection: 'contact',
};

function spyOnStatements(gateway: TestGateway): Statement[] {
  const store = gateway.replicas[0]!.app.get(DataStore);
  jest.restoreAllMocks();
  const statements: Statement[] = [];
  const readers = { query: store.query.bind(store), readRows: store.readRows.bind(store) };
  for (const name of ['query', 'readRows'] as const) {
    jest.spyOn(store, name).mockImplementation((statement: Statement) => {
      if (!statement.text.includes("entity = 'lookup'")) statements.push(statement);
      return readers[name](statement);
    });
  }
  return statements;
}

async function insertRecords({ sql }: TestGateway): Promise<void> {
  await insertCompanies(sql, [
    {
      name: 'Äcme & Söhne',
      image_url: 'https://example.com/logo.png',
      website_url: 'https://example.com',
      description: 'Makes things.',
      headquarters: 'Zurich, Switzerland',
      ticker: 'ACM',
      exchange: 'SIX',
      founded_year: 1902,
      last_funding_date: '2024-02-29',
      is_public: true,
      has_subsidiary: false,
      parent_company_id: 77,
      number_of_employees: 12_345,
      industry_id: 1,
      sector_id: 1,
      country_id: 1756,
      revenue,
      revenue_amount: 1_500_000_000,
      market_cap: money(2, 'MILLIONS'),
      marketing_budget: money(3, 'THOUSANDS'),
    },
    {},
    {},
  ]);
  await insertPersons(sql, [
    {
      name: 'Maria Keller',
      first_name: 'Maria',
      last_name: 'Keller',
      gender: 'FEMALE',
      birth_date: '1984-02-29',
      country_id: 1756,
      skill_ids: [1, 3],
      category_ids: [2],
      identifiers: [{ name: 'network', value: 'https://example.com/in/maria' }],
      gross_salary: money(120, 'THOUSANDS', 'CHF'),
      gross_salary_upper_range: money(130, 'THOUSANDS', 'CHF'),
    },
    {},
    {},
  ]);
  const { id: _id, buyerCompanies: _b, ...deal } = full.dealsConnection;
  await insertDeals(sql, [
    {
      title: deal.title,
      description: deal.description,
      type: deal.type,
      sponsor_type: deal.sponsorType,
      announced_date: deal.announcedDate,
      announced_date_source: deal.announcedDateSource,
      start_date: deal.startDate,
      start_date_source: deal.startDateSource,
      end_date: deal.endDate,
      is_estimate: false,
      is_exclusive: true,
      renewal_option: deal.renewalOption,
      total_digital_impressions: big,
      annual_value: deal.annualValue,
      total_value: deal.totalValue,
      buyer_company_ids: [1],
      buyer_company_names: ['Äcme & Söhne'],
      seller_company_ids: [2, 3],
      seller_company_names: ['Club A', 'Club B'],
      seller_person_ids: [1],
      sponsored_person_ids: [1],
      sponsored_person_names: ['Maria Keller'],
      sport_ids: [1],
    },
    {},
    {},
  ]);
  await insertContacts(sql, [
    {
      name: 'Maria Keller',
      first_name: 'Maria',
      last_name: 'Keller',
      email: 'maria@example.com',
      emails: ['maria@example.com', 'm.keller@example.org'],
      company_id: 1,
      company_name: 'Äcme & Söhne',
      person_id: 1,
      person_name: 'Maria Keller',
    },
    {},
    {},
  ]);
}
