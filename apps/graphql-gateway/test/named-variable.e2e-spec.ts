/* eslint-disable @typescript-eslint/no-unsafe-assignment, @typescript-eslint/no-unsafe-member-access, @typescript-eslint/no-unsafe-argument --
   answers are JSON of any shape, and the assertions judge them */
// Filters come from a variable of exactly their argument's name, and from nowhere else.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { insertCompanies } from './support/records.js';
import { startGateway, type TestGateway } from './support/gateway.js';

const filter = { industry: [{ values: ['Accounting'] }] };
const literal = '{industry: [{values: [Accounting], comparison: IS_ANY_OF}]}';
const type = 'InputCompanySearchFilters';

describe('named filter variables', () => {
  let gateway: TestGateway;
  let key: string;
  beforeAll(async () => {
    gateway = await startGateway();
    ({ key } = await gateway.newKey());
    await insertCompanies(gateway.sql, [{ industry_id: 1 }, { industry_id: 2 }]);
  });
  afterAll(() => gateway.close());

  const select = '{ totalCount }';
  const allowed: [string, string, object][] = [
    [
      'the named variable',
      `query ($searchFilters: ${type}) { companiesConnection(searchFilters: $searchFilters) ${select} }`,
      { searchFilters: filter },
    ],
    [
      'the named variable, under an alias',
      `query ($searchFilters: ${type}) { x: companiesConnection(searchFilters: $searchFilters) ${select} }`,
      { searchFilters: filter },
    ],
    [
      'the named variable, in a fragment',
      `query ($searchFilters: ${type}) { ...f } fragment f on Query { companiesConnection(searchFilters: $searchFilters) ${select} }`,
      { searchFilters: filter },
    ],
    [
      'the named variable with a default that is not used',
      `query ($searchFilters: ${type} = ${literal}) { companiesConnection(searchFilters: $searchFilters) ${select} }`,
      { searchFilters: filter },
    ],
    ['no argument', `{ companiesConnection ${select} }`, {}],
    ['a literal null', `{ companiesConnection(searchFilters: null) ${select} }`, {}],
    [
      'a variable that is null',
      `query ($searchFilters: ${type}) { companiesConnection(searchFilters: $searchFilters) ${select} }`,
      { searchFilters: null },
    ],
    [
      'a variable that is not sent',
      `query ($searchFilters: ${type}) { companiesConnection(searchFilters: $searchFilters) ${select} }`,
      {},
    ],
    [
      'a literal in a field that is skipped',
      `{ __typename companiesConnection(searchFilters: ${literal}) @skip(if: true) ${select} }`,
      {},
    ],
    [
      'topMarkets from its variable',
      `query ($topMarkets: [InputTopMarketsFilter!]) { companiesConnection(topMarkets: $topMarkets) ${select} }`,
      { topMarkets: [{ values: ['Europe'] }] },
    ],
    [
      'officeLocation from its variable',
      `query ($officeLocation: [InputOfficeLocationFilter!]) { companiesConnection(officeLocation: $officeLocation) ${select} }`,
      { officeLocation: [{ values: ['Europe'] }] },
    ],
    ['literal sorters', `{ dealsConnection(sorters: [{field: "announcedDate", direction: "DESC"}]) ${select} }`, {}],
    ['literal contact filters', `{ contactsConnection(filters: {query: "x"}) ${select} }`, {}],
  ];
  it.each(allowed)('accepts %s', async (_name, query, variables) => {
    const { status, body } = await gateway.data(key, query, variables as Record<string, unknown>);
    expect({ status, errors: body.errors }).toEqual({ status: 200, errors: undefined });
  });

  const refused: [string, string, object][] = [
    ['an inline literal', `{ companiesConnection(searchFilters: ${literal}) ${select} }`, {}],
    ['an empty literal', `{ companiesConnection(searchFilters: {}) ${select} }`, {}],
    [
      'a variable of another name',
      `query ($filters: ${type}) { companiesConnection(searchFilters: $filters) ${select} }`,
      { filters: filter },
    ],
    [
      'a variable that differs in case',
      `query ($searchfilters: ${type}) { companiesConnection(searchFilters: $searchfilters) ${select} }`,
      { searchfilters: filter },
    ],
    [
      'a literal with a variable inside',
      `query ($values: [Industry!]!) { companiesConnection(searchFilters: {industry: [{values: $values}]}) ${select} }`,
      { values: ['Accounting'] },
    ],
    [
      'a default in place of a variable not sent',
      `query ($searchFilters: ${type} = ${literal}) { companiesConnection(searchFilters: $searchFilters) ${select} }`,
      {},
    ],
    [
      'a literal under an alias beside a good one',
      `query ($searchFilters: ${type}) { a: companiesConnection(searchFilters: $searchFilters) ${select} b: companiesConnection(searchFilters: ${literal}) ${select} }`,
      { searchFilters: filter },
    ],
    [
      'a literal in a fragment',
      `{ ...f } fragment f on Query { companiesConnection(searchFilters: ${literal}) ${select} }`,
      {},
    ],
    [
      'a literal in an inline fragment',
      `{ ... on Query { companiesConnection(searchFilters: ${literal}) ${select} } }`,
      {},
    ],
    ['a literal for topMarkets', `{ companiesConnection(topMarkets: [{values: ["Europe"]}]) ${select} }`, {}],
    [
      'another variable for officeLocation',
      `query ($topMarkets: [InputOfficeLocationFilter!]) { companiesConnection(officeLocation: $topMarkets) ${select} }`,
      { topMarkets: [{ values: ['Europe'] }] },
    ],
    ['a literal on persons', `{ personsConnection(searchFilters: {gender: {values: [MALE]}}) ${select} }`, {}],
    ['a literal on deals', `{ dealsConnection(searchFilters: {status: {values: [ACTIVE]}}) ${select} }`, {}],
  ];
  it.each(refused)('refuses %s', async (_name, query, variables) => {
    const { status, body } = await gateway.data(key, query, variables as Record<string, unknown>);
    expect(status).toBe(400);
    expect(body.data).toBeUndefined();
    expect(body.errors).toHaveLength(1);
    expect(body.errors[0].extensions.code).toBe('INTERNAL_SERVER_ERROR');
    expect(body.errors[0].message).toMatch(
      /must be passed as a GraphQL variable named exactly \$(searchFilters|topMarkets|officeLocation)/,
    );
  });

  it('shows a request that works', async () => {
    for (const query of [
      `{ companiesConnection(searchFilters: ${literal}) ${select} }`,
      '{ dealsConnection(searchFilters: {}) { totalCount } }',
      '{ personsConnection(searchFilters: {}) { totalCount } }',
      '{ companiesConnection(topMarkets: []) { totalCount } }',
    ]) {
      const { body } = await gateway.data(key, query);
      const example = /Example: (query .*) with the variables (\{.*\})$/.exec(body.errors[0].message);
      const answer = await gateway.data(key, example![1]!, JSON.parse(example![2]!) as Record<string, unknown>);
      expect({ query, status: answer.status }).toEqual({ query, status: 200 });
    }
  });

  it('reports an invalid query before it checks the filters', async () => {
    const { status, body } = await gateway.data(key, `{ companiesConnection(searchFilters: ${literal}) { nope } }`);
    expect(status).toBe(400);
    expect(body.errors[0].extensions.code).toBe('GRAPHQL_VALIDATION_FAILED');
  });
});
