// The servers that answer the same filters: the gateway with each of its engines, and the peers.
import { compileFilter, type RecordEntity } from '@tradewind/filters';
import { type EmbeddedOpenSearch, freePort, installOpenSearch, startEmbeddedOpenSearch } from '@tradewind/testkit';
import { makeApiKeys } from './api-keys.js';
import { type BenchProcess, postgresProcessorMs, processorMsOf } from './bench-process.js';
import type { DrawnFilter } from './drawn-filters.js';
import type { FilterServer, Found } from './filter-load.js';
import { openSearchBody } from './filters-opensearch.js';
import { postgraphileBody } from './filters-postgraphile.js';
import { installPostgraphile } from './graphql-postgraphile.js';
import { contactOwnerIds, gatewayMain, gatewaySettings, runToEnd } from './graphql-rows.js';
import { type MeasuredQuery, measuredQueries } from './graphql-queries.js';
import { type Stage, until } from './stage.js';

const mercuriusMain = new URL('./graphql-mercurius.js', import.meta.url);
export const pageSize = 50;
/** The default of the gateway. The peers have it, too, and answer with an error then. */
const statementTimeoutMs = '5000';

export interface MeasuredServer extends FilterServer {
  /** Heading of its column. */
  name: string;
  /** Processor time so far of all processes that work for an answer, ms. */
  processorMs(): number;
  residentMiB?(): number;
  /** Of a gateway. */
  metrics?(): Promise<Metrics>;
  /** Of a gateway. Servers end with the benchmark at the latest. */
  stop?(): Promise<void>;
  /** Whether the ids of a page are in the order of the data API. */
  hasSameOrder: boolean;
}

/** Sums of a metric by the labels that are named; see `sumOf`. */
export type Metrics = readonly { name: string; value: number }[];

export function sumOf(metrics: Metrics, beginning: string): number {
  return metrics.filter(({ name }) => name.startsWith(beginning)).reduce((sum, { value }) => sum + value, 0);
}

export interface ServerOptions {
  stage: Stage;
  /** A key of each user, in the order of `userIds`. */
  keys: readonly string[];
}

export const entities: readonly RecordEntity[] = ['company', 'person', 'deal', 'contact'];

/** Keys of the owners of contacts, and of others. */
export async function makeUsers(stage: Stage): Promise<{ keys: string[]; userIds: string[] }> {
  const others = Array.from({ length: 60 }, (_, n) => `7f2b1c34-0000-4000-8000-${String(n).padStart(12, '0')}`);
  const userIds = [...contactOwnerIds, ...others];
  return { userIds, keys: await makeApiKeys(stage.sql, userIds.length, userIds) };
}

export async function startGateway(
  { stage, keys }: ServerOptions,
  name: string,
  env: Record<string, string>,
  moreProcessorMs = () => 0,
): Promise<MeasuredServer> {
  const metricsPort = await freePort();
  const process = await stage.start(gatewayMain, {
    ...gatewaySettings,
    DATA_PAGE_SIZE: String(pageSize),
    METRICS_PORT: String(metricsPort),
    ...env,
  });
  return {
    name,
    url: process.url,
    path: '/graphql',
    request: (drawn) => ({ headers: authorized(keys, drawn), body: graphqlBodyOf(drawn) }),
    found: (body) => foundIn(body, queryOf(drawnField(body)).field),
    processorMs: () => process.processorMs() + postgresProcessorMs(stage.postmaster) + moreProcessorMs(),
    residentMiB: () => process.residentMiB(),
    metrics: () => readMetrics(metricsPort),
    stop: () => process.stop(),
    hasSameOrder: true,
  };
}

/** Whether the engine of a gateway answers for all entities. */
export async function isReady(server: MeasuredServer): Promise<boolean> {
  return sumOf(await server.metrics!(), 'filter_index_ready') === entities.length;
}

export async function untilReady(server: MeasuredServer): Promise<void> {
  await until(`${server.name} is ready`, () => isReady(server));
}

export async function startMercurius({ stage, keys }: ServerOptions): Promise<MeasuredServer> {
  const process = await stage.start(mercuriusMain, {
    DATA_PAGE_SIZE: String(pageSize),
    DATA_STATEMENT_TIMEOUT_MS: statementTimeoutMs,
  });
  return {
    ...peer('Mercurius', stage, process),
    request: (drawn) => ({
      headers: authorized(keys, drawn),
      body: graphqlBodyOf(drawn, { extensions: statementOf(drawn) }),
    }),
    found: (body) => foundIn(body, queryOf(drawnField(body)).field),
  };
}

export async function startPostgraphile({ stage }: ServerOptions): Promise<MeasuredServer> {
  const process = await stage.start(installPostgraphile(stage), {
    TUNED: 'true',
    DATA_STATEMENT_TIMEOUT_MS: statementTimeoutMs,
  });
  return {
    ...peer('PostGraphile', stage, process),
    request: (drawn) => {
      const body = postgraphileBody(drawn, queryOf(fields[drawn.entity]).columns, pageSize);
      return body === undefined ? undefined : { headers: '', body };
    },
    found: (body) => foundIn(body, 'page'),
  };
}

export interface SearchCluster {
  node: EmbeddedOpenSearch;
  /** Of the gateways that use it. */
  settings: Record<string, string>;
  buildSeconds: number;
}

/** @returns why there is none, when Java or OpenSearch is missing */
export async function startCluster(stage: Stage): Promise<SearchCluster | string> {
  try {
    installOpenSearch();
  } catch (error) {
    return (error as Error).message;
  }
  const node = await startEmbeddedOpenSearch({ heapMb: Math.max(256, Math.min(2048, Math.round(2048 * stage.scale))) });
  const settings = { OPENSEARCH_URL: node.url, OPENSEARCH_REPLICAS: '0' };
  stage.log('building the indexes in OpenSearch');
  const startedMs = performance.now();
  await runToEnd(gatewayMain, ['index', 'build'], stage, settings);
  return { node, settings, buildSeconds: (performance.now() - startedMs) / 1000 };
}

export function openSearchAlone({ node }: SearchCluster): MeasuredServer {
  return {
    name: 'OpenSearch alone',
    url: node.url,
    path: '/_msearch',
    request: (drawn) => {
      const body = openSearchBody(drawn, pageSize);
      return body === undefined ? undefined : { headers: '', body };
    },
    found: (body) => {
      const { responses = [] } = JSON.parse(body) as { responses?: SearchAnswer[] };
      const [page, count] = responses;
      if (!page?.hits || !count?.hits?.total) return undefined;
      return { count: count.hits.total.value, ids: page.hits.hits.map(({ sort }) => String(sort.at(-1))) };
    },
    processorMs: () => processorMsOf(node.pid),
    hasSameOrder: false,
  };
}

interface SearchAnswer {
  hits?: { total?: { value: number }; hits: { sort: unknown[] }[] };
}

function peer(name: string, { postmaster }: Stage, process: BenchProcess) {
  return {
    name,
    url: process.url,
    path: '/graphql',
    processorMs: () => process.processorMs() + postgresProcessorMs(postmaster),
    residentMiB: () => process.residentMiB(),
    hasSameOrder: true,
  };
}

const fields: Readonly<Record<RecordEntity, MeasuredQuery['field']>> = {
  company: 'companiesConnection',
  person: 'personsConnection',
  deal: 'dealsConnection',
  contact: 'contactsConnection',
};

const declarations: Readonly<Record<RecordEntity, Readonly<Record<string, string>>>> = {
  company: {
    searchFilters: 'InputCompanySearchFilters',
    topMarkets: '[InputTopMarketsFilter!]',
    officeLocation: '[InputOfficeLocationFilter!]',
  },
  person: { searchFilters: 'InputPersonsSearchFilters' },
  deal: { searchFilters: 'InputDealSearchFilters', sorters: '[JSONObject!]' },
  contact: {
    filters: 'InputGetContactFilters',
    personSearchFilters: 'JSONObject',
    sortBy: 'ContactSortBy',
    personSortBy: 'PersonOrderBy',
    sortOrder: 'SortOrder',
  },
};

function queryOf(field: MeasuredQuery['field']): MeasuredQuery {
  return measuredQueries.find((query) => query.field === field)!;
}

const documents = Object.fromEntries(
  entities.map((entity) => {
    const names = Object.entries(declarations[entity]);
    const declared = names.map(([name, type]) => `$${name}: ${type}`).join(', ');
    const passed = names.map(([name]) => `${name}: $${name}`).join(', ');
    const { field, selection } = queryOf(fields[entity]);
    return [
      entity,
      `query Filtered(${declared}) { ${field}(${passed}) { totalCount edges { cursor node { ${selection} } } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } }`,
    ];
  }),
) as Record<RecordEntity, string>;

function graphqlBodyOf({ entity, variables }: DrawnFilter, others: object = {}): string {
  return JSON.stringify({ query: documents[entity], variables, ...others });
}

function authorized(keys: readonly string[], { user }: DrawnFilter): string {
  return `authorization: Bearer ${keys[user]}\r\n`;
}

/** The statement that a person would write: the conditions as they are, in one order. */
function statementOf({ entity, filter, beside, sort }: DrawnFilter) {
  const { sql, params } = compileFilter(filter);
  const parts = [sql];
  const parameters: unknown[] = [...params];
  if (beside.email !== undefined) {
    const email = `$${parameters.push(beside.email.toLowerCase())}::text`;
    parts.push(`(lower(t.email) = ${email} or exists (select from unnest(t.emails) a where lower(a) = ${email}))`);
  }
  if (beside.person) {
    const person = compileFilter(beside.person, { firstParameter: parameters.length + 1 });
    parameters.push(...person.params);
    parts.push(`t.person_id in (select t.id from person t where ${person.sql})`);
  }
  const order = sort.map(({ column, direction }) => `t.${column} ${direction} nulls last`);
  const { field, columns } = queryOf(fields[entity]);
  const where = parts.join(' and ');
  return { field, table: entity, columns, where, orderBy: [...order, 't.id'].join(', '), parameters };
}

/** The connection that the body begins with. */
function drawnField(body: string): MeasuredQuery['field'] {
  return (/"(\w+Connection)"/.exec(body)?.[1] ?? 'companiesConnection') as MeasuredQuery['field'];
}

function foundIn(body: string, field: string): Found | undefined {
  const { data, errors } = JSON.parse(body) as {
    errors?: unknown;
    data?: Record<string, { totalCount: string | number; edges: { node: { id?: string; rowId?: string } }[] } | null>;
  };
  const connection = data?.[field];
  if (errors || !connection) return undefined;
  return {
    count: Number(connection.totalCount),
    ids: connection.edges.map(({ node }) => String(node.id ?? node.rowId)),
  };
}

async function readMetrics(port: number): Promise<Metrics> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  return text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const end = line.lastIndexOf(' ');
      return { name: line.slice(0, end).replace('tradewind_graphql_gateway_', ''), value: Number(line.slice(end + 1)) };
    });
}
