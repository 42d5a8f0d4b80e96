// A repeated request goes past Apollo Server (REPEATED_REQUESTS). Nobody must notice: two gateways, one with the
// switch and one without, get the same requests several times, and must give the same answers.
import { ApolloServer } from '@apollo/server';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { AuditLogService } from '../src/api-keys/audit-log.service.js';
import { startGateway, type TestGateway } from './support/gateway.js';
import { insertCompanies } from './support/records.js';

const page = `query page($searchFilters: InputCompanySearchFilters, $after: String) {
  companiesConnection(searchFilters: $searchFilters, after: $after) { totalCount edges { cursor node { id name } } }
}`;
const two = `query first { companiesConnection { totalCount } } query second { dealsConnection { totalCount } }`;
const json = { 'content-type': 'application/json' };
const body = (value: unknown) => ({ method: 'POST', headers: json, body: JSON.stringify(value) });
const post = (value: unknown, headers: Record<string, string>) => ({
  ...body(value),
  headers: { ...json, ...headers },
});

/** Each is sent after the document was asked for so often that it is compiled. */
const requests: [string, { query: string; variables?: unknown; operationName?: string }, RequestInit, string?][] = [
  ['a page', { query: page }, body({ query: page })],
  [
    'with variables',
    { query: page },
    body({ query: page, variables: { searchFilters: { numberOfEmployees: [{ values: [2] }] } } }),
  ],
  ['without any variables', { query: page }, body({ query: page, variables: null })],
  ['with variables of another shape', { query: page }, body({ query: page, variables: [] })],
  [
    'with a filter that does not exist',
    { query: page },
    body({ query: page, variables: { searchFilters: { nosuch: 1 } } }),
  ],
  ['with a value of another type', { query: page }, body({ query: page, variables: { searchFilters: 'all' } })],
  ['with a cursor that is none', { query: page }, body({ query: page, variables: { after: 'nonsense' } })],
  ['with an undeclared variable', { query: page }, body({ query: page, variables: { limit: 1 } })],
  ['with the name of its operation', { query: page }, body({ query: page, operationName: 'page' })],
  ['with another name', { query: page }, body({ query: page, operationName: 'other' })],
  ['with a name that is no text', { query: page }, body({ query: page, operationName: 7 })],
  ['one of two operations', { query: two, operationName: 'first' }, body({ query: two, operationName: 'first' })],
  ['the other operation', { query: two, operationName: 'first' }, body({ query: two, operationName: 'second' })],
  ['neither of two operations', { query: two, operationName: 'first' }, body({ query: two })],
  ['with extensions', { query: page }, body({ query: page, extensions: { persistedQuery: { version: 1 } } })],
  ['with extensions that are none', { query: page }, body({ query: page, extensions: 'x' })],
  ['with further fields', { query: page }, body({ query: page, id: 3 })],
  ['in a list', { query: page }, body([{ query: page }])],
  ['as text', { query: page }, { ...body({ query: page }), headers: { 'content-type': 'text/plain' } }],
  ['in UTF-8', { query: page }, post({ query: page }, { 'content-type': 'application/json; charset=utf-8' })],
  ['for the type of GraphQL', { query: page }, post({ query: page }, { accept: 'application/graphql-response+json' })],
  ['for a picture', { query: page }, post({ query: page }, { accept: 'image/png' })],
  ['for JSON', { query: page }, post({ query: page }, { accept: 'application/json' })],
  ['without a key', { query: page }, post({ query: page }, { authorization: '' })],
  ['with a bad key', { query: page }, post({ query: page }, { authorization: 'Bearer svc_bad' })],
  ['by GET', { query: page }, { method: 'GET' }, `?query=${encodeURIComponent(page)}`],
  ['by PUT', { query: page }, { ...body({ query: page }), method: 'PUT' }],
  ['with a deep URL', { query: page }, body({ query: page }), `?variables=${'['.repeat(120)}${']'.repeat(120)}`],
];

describe('repeated requests', () => {
  let gateways: { gateway: TestGateway; key: string }[];
  beforeAll(async () => {
    gateways = [];
    for (const REPEATED_REQUESTS of ['true', 'false']) {
      const gateway = await startGateway({ REPEATED_REQUESTS });
      await insertCompanies(gateway.sql, [
        { id: 1, name: 'One', number_of_employees: 1 },
        { id: 2, name: 'Two "quoted" ü', number_of_employees: 2 },
      ]);
      gateways.push({ gateway, key: (await gateway.newKey()).key });
    }
  });
  afterAll(async () => {
    await Promise.all(gateways.map(({ gateway }) => gateway.close()));
  });

  /** Everything of the answer that does not depend on the moment, and what it cost. */
  async function answers({ gateway, key }: (typeof gateways)[number], init: RequestInit, search = ''): Promise<object> {
    const calls = async () =>
      (await gateway.sql.query<{ used: number }>('select coalesce(sum(used), 0)::int as used from daily_quota'))
        .rows[0]!.used;
    const before = await calls();
    const headers = { authorization: `Bearer ${key}`, ...(init.headers as Record<string, string>) };
    const response = await fetch(`${gateway.replicas[0]!.url}/graphql${search}`, { ...init, headers });
    const text = await response.text();
    const shown = [...response.headers].filter(([name]) => !/^date$|ratelimit|request-id|trace/.test(name));
    return {
      status: response.status,
      text: text.replace(/"requestId":"[^"]*"/, ''),
      headers: shown,
      cost: (await calls()) - before,
    };
  }

  it.each(requests.map(([name, usual, init, search = '']) => [name, usual, init, search] as const))(
    'are answered like others: %s',
    async (_name, usual, init, search) => {
      const [repeated, others] = await Promise.all(
        gateways.map(async (each) => {
          for (let n = 0; n < 4; n += 1) await each.gateway.data(each.key, usual.query, {}, usual);
          return [await answers(each, init, search), await answers(each, init, search)];
        }),
      );
      expect(repeated).toEqual(others);
    },
  );

  it('are logged with the name of their operation, and charged', async () => {
    const { gateway, key } = gateways[0]!;
    const used = 'select sum(used)::int as used from daily_quota';
    const usedBefore = (await gateway.sql.query<{ used: number }>(used)).rows[0]!.used;
    const query = 'query audited { companiesConnection { totalCount } }';
    for (let n = 0; n < 5; n += 1) {
      const { headers } = await gateway.data(key, query);
      expect(headers.get('x-ratelimit-remaining')).toMatch(/^\d+$/);
    }
    expect((await gateway.sql.query(used)).rows).toEqual([{ used: usedBefore + 5 }]);
    await gateway.replicas[0]!.app.get(AuditLogService).flush();
    const { rows } = await gateway.sql.query(
      `select count(*)::int as uses from api_key_audit where outcome = 'used' and operation_name = 'audited'`,
    );
    expect(rows).toEqual([{ uses: 5 }]);
  });

  it('go past Apollo Server, which does not see them', async () => {
    const { gateway, key } = gateways[0]!;
    const apollo = jest.spyOn(ApolloServer.prototype, 'executeHTTPGraphQLRequest');
    const query = 'query seen { companiesConnection { edges { node { id } } } }';
    const seen: number[] = [];
    for (let n = 0; n < 5; n += 1) {
      await gateway.data(key, query);
      seen.push(apollo.mock.calls.length);
    }
    apollo.mockRestore();
    expect(seen).toEqual([1, 2, 2, 2, 2]);
  });
});
