// The four connections of the data API, with filters in the variables they belong in, and a second page by cursor.
import { callJson, expectGraphql } from './demo-http.js';
import { timed, type DemoPage } from './demo-page.js';
import type { DemoPlatform } from './demo-platform.js';

interface Connection<T> {
  totalCount: number;
  edges: { cursor: string; node: T }[];
  pageInfo: { hasNextPage: boolean; endCursor: string | null };
}

const pageFields = 'totalCount pageInfo { hasNextPage endCursor }';

interface DemoQuery {
  name: string;
  query: string;
  variables: Record<string, unknown>;
  /** One line about a record. */
  tell: (node: Record<string, unknown>) => string;
}

const queries: DemoQuery[] = [
  {
    name: 'companiesConnection',
    query: `query ($searchFilters: InputCompanySearchFilters, $after: String) {
      companiesConnection(searchFilters: $searchFilters, after: $after) { ${pageFields} edges { cursor node { id name ticker headquarters } } } }`,
    variables: { searchFilters: { keywords: [{ values: ['software'], comparison: 'IS_ANY_OF' }] } },
    tell: (node) => `${text(node['name'])} (${text(node['ticker'])}), ${text(node['headquarters'])}`,
  },
  {
    name: 'personsConnection',
    query: `query ($searchFilters: InputPersonsSearchFilters) {
      personsConnection(searchFilters: $searchFilters) { ${pageFields} edges { cursor node { id name gender age } } } }`,
    variables: { searchFilters: { age: [{ values: [30, 60], comparison: 'BETWEEN' }] } },
    tell: (node) => `${text(node['name'])}, ${text(node['age'])}`,
  },
  {
    name: 'dealsConnection',
    query: `query ($searchFilters: InputDealSearchFilters, $sorters: [JSONObject!]) {
      dealsConnection(searchFilters: $searchFilters, sorters: $sorters) { ${pageFields} edges { cursor node { id title type announcedDate } } } }`,
    variables: {
      searchFilters: { type: [{ values: ['SPONSORSHIP'], comparison: 'IS_ANY_OF' }] },
      sorters: [{ field: 'announcedDate', direction: 'DESC' }],
    },
    tell: (node) => `${text(node['title'])}, announced ${text(node['announcedDate'])}`,
  },
  {
    name: 'contactsConnection',
    query: `query ($filters: InputGetContactFilters) {
      contactsConnection(filters: $filters, sortBy: NAME, sortOrder: ASC) { ${pageFields} edges { cursor node { id name email } } } }`,
    variables: { filters: {} },
    tell: (node) => `${text(node['name'])}, ${text(node['email'])}`,
  },
];

/** Five of the ten data calls of the day. */
export async function queryConnections(platform: DemoPlatform, key: string, page: DemoPage): Promise<void> {
  const url = `${platform.address('graphql-gateway')}/graphql`;
  for (const { name, query, variables, tell } of queries) {
    const ask = (after?: string | null) =>
      expectGraphql<Record<string, Connection<Record<string, unknown>>>>(url, key, query, {
        ...variables,
        ...(after ? { after } : {}),
      });
    const { result, seconds } = await timed(() => ask());
    const connection = result[name];
    const first = connection?.edges[0];
    page.check(
      `${name} answers`,
      first !== undefined,
      first && `${connection?.totalCount} found; first: ${tell(first.node)}`,
    );
    page.figure('Data API', name, connection?.totalCount ?? 0, seconds);
    if (name !== 'companiesConnection' || !connection?.pageInfo.hasNextPage) continue;
    const second = (await ask(connection.pageInfo.endCursor))[name]?.edges[0];
    page.check(
      'the cursor leads to the next page',
      second !== undefined && second.node['id'] !== first?.node['id'],
      second && tell(second.node),
    );
  }
  const refused = await callJson(url, {
    body: { query: '{ __typename }' },
    bearer: `${key.slice(0, -1)}${key.endsWith('0') ? '1' : '0'}`,
  });
  page.check('a key that is wrong by one character is refused', refused.status === 401, `HTTP ${refused.status}`);
}

function text(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '-';
}
