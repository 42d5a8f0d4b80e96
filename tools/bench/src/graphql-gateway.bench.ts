// The targets of the data API: throughput, latency, idle memory. Throughput is measured beside a hand-written server
// (the limit), and beside Mercurius with the same duties and PostGraphile (the peers) on the same database. The gateway
// runs as it is deployed, with keys, limits and audit log. At --scale 1: 1,000,000 companies, 2,000,000 persons,
// 1,000,000 deals, 1,000,000 contacts; loading takes a while.
import { makeApiKeys } from './api-keys.js';
import type { Bench, BenchContext, BenchRow } from './bench.types.js';
import type { BenchProcess } from './bench-process.js';
import { fillTables, gatewayMain, gatewaySettings } from './graphql-rows.js';
import { graphqlBody, measuredQueries, type MeasuredQuery } from './graphql-queries.js';
import { installPostgraphile } from './graphql-postgraphile.js';
import { bringToSpeed, connections, inTurn, send, type Measured, type Target } from './in-turn.js';
import { belowRow, idleMemoryRow, onStage, type Stage as BaseStage } from './stage.js';

const rawMain = new URL('./graphql-raw-server.js', import.meta.url);
const mercuriusMain = new URL('./graphql-mercurius.js', import.meta.url);

// A user may make 10 calls a day, so 200 users with a key each are more realistic than one for each connection.
const users = 200;
/** Requests a second at which the latency of an unsaturated server is taken. */
const calmRate = 100;
// A thousand requests: of fewer, one pause of the collector is more than one in a hundred.
const calmSeconds = 10;

export const bench: Bench = {
  name: 'graphql-gateway',
  run: (context) =>
    onStage(
      context,
      async (base) => {
        await fillTables(base);
        const stage = { ...base, keys: await makeApiKeys(base.sql, users) };
        return [
          ...(isWanted(context, 'Idle memory, 5 s after the start')
            ? [await idleMemoryRow('', await startGateway(stage), 190)]
            : []),
          ...(await besidePeers({ ...stage, pageSize: 1, target: 0.5 })),
          ...(await besidePeers({ ...stage, pageSize: 50, target: 0.7 })),
          ...(await besidePostgraphile(stage)),
        ];
      },
      { dataDir: context.dataDir, schema: 'graphql_gateway' },
    ),
};

function isWanted({ only }: BenchContext, name: string): boolean {
  return only === undefined || new RegExp(only).test(name);
}

interface Stage extends BaseStage {
  keys: string[];
}

function startGateway(stage: Stage, env: Record<string, string> = {}): Promise<BenchProcess> {
  // The peers have PostgreSQL alone, too.
  return stage.start(gatewayMain, { ...gatewaySettings, FILTER_ENGINE: 'postgres', ...env });
}

/**
 * Each query, each server in turn, round by round; ratios are medians of the rounds. Mercurius gets the same GraphQL
 * request and answers it with the hand-written SQL. The gateway without its way for repeated requests has no target.
 */
async function besidePeers(stage: Stage & { pageSize: number; target: number }): Promise<BenchRow[]> {
  const { sql, keys, pageSize, target, postmaster } = stage;
  const nameOf = (query: MeasuredQuery) => `${query.name}, page of ${pageSize}`;
  const wanted = [...measuredQueries.entries()].filter(([, query]) => isWanted(stage, nameOf(query)));
  if (wanted.length === 0) return [];
  const env = { DATA_PAGE_SIZE: String(pageSize) };
  const servers = {
    gateway: await startGateway(stage, env),
    plain: await startGateway(stage, { ...env, REPEATED_REQUESTS: 'false' }),
    raw: await stage.start(rawMain, env),
    mercurius: await stage.start(mercuriusMain, env),
  };
  try {
    const rows: BenchRow[] = [];
    for (const [index, query] of wanted) {
      const values = await query.draw(sql);
      if (values.length === 0) throw new Error(`no values for ${query.name}`);
      const bodies = values.map(({ variables }) => graphqlBody(query, variables));
      const mercuriusBodies = values.map(({ variables, parameters }) =>
        graphqlBody(query, variables, { extensions: { index, parameters } }),
      );
      const rawBodies = values.map(({ parameters }) => JSON.stringify(parameters));
      assertAlike(query, [
        await connectionOf(`${servers.gateway.url}/graphql`, query, bodies[0]!, keys[0]),
        await connectionOf(`${servers.plain.url}/graphql`, query, bodies[0]!, keys[0]),
        await connectionOf(`${servers.raw.url}/${index}`, query, rawBodies[0]!),
        await connectionOf(`${servers.mercurius.url}/graphql`, query, mercuriusBodies[0]!, keys[0]),
      ]);
      const targets = {
        gateway: graphqlLoad(servers.gateway, keys, bodies),
        plain: graphqlLoad(servers.plain, keys, bodies),
        raw: { process: servers.raw, path: `/${index}`, body: (n: number) => rawBodies[n % rawBodies.length]! },
        mercurius: graphqlLoad(servers.mercurius, keys, mercuriusBodies),
      };
      if (rows.length === 0) await bringToSpeed(Object.values(targets));
      const { gateway, plain, raw, mercurius } = await inTurn(targets, postmaster);
      const name = nameOf(query);
      const metric = (peer: string) => `${name}: throughput beside ${peer}`;
      rows.push(throughputRow(metric('hand-written SQL'), gateway, raw, target, stage));
      rows.push(throughputRow(metric('Mercurius with keys, limits and audit'), gateway, mercurius, 1, stage));
      rows.push(throughputRow(metric('itself without REPEATED_REQUESTS'), gateway, plain, undefined, stage));
      if (!query.isCounted) {
        const pace = { ratePerSecond: calmRate, seconds: calmSeconds };
        const calm = { ours: await send(targets.gateway, pace), theirs: await send(targets.raw, pace) };
        rows.push(
          latencyRow(`${name}: p99 at ${connections} connections, as fast as they go`, gateway.p99Ms, raw.p99Ms),
        );
        rows.push(
          latencyRow(
            `${name}: p99 at ${connections} connections, ${calmRate} requests/s`,
            calm.ours.p99Ms,
            calm.theirs.p99Ms,
          ),
        );
      }
    }
    return rows;
  } finally {
    await Promise.all(Object.values(servers).map((server) => server.stop()));
  }
}

/** The only query that PostGraphile can express with its filter plugin. */
async function besidePostgraphile(stage: Stage): Promise<BenchRow[]> {
  const { sql, keys } = stage;
  const peers = [
    {
      title: 'PostGraphile as it comes',
      target: 3,
      settings: { TUNED: 'false' },
      filter: (id: string) => ({ in: [id] }),
    },
    { title: 'PostGraphile tuned', target: 2, settings: { TUNED: 'true' }, filter: (id: string) => ({ equalTo: id }) },
  ];
  const query = measuredQueries.find(({ isCounted }) => isCounted)!;
  const nameOf = (pageSize: number, title: string) => `${query.name}, page of ${pageSize}: throughput beside ${title}`;
  const rows: BenchRow[] = [];
  for (const pageSize of [1, 50]) {
    for (const { title, target, settings, filter } of peers) {
      if (!isWanted(stage, nameOf(pageSize, title))) continue;
      const values = await query.draw(sql);
      const gateway = await startGateway(stage, { DATA_PAGE_SIZE: String(pageSize) });
      const peer = await stage.start(installPostgraphile(stage), settings);
      try {
        const body = (n: number) => {
          const [id, low, high] = values[n % values.length]!.parameters as [string, string, string];
          return JSON.stringify({
            query: postgraphileQuery,
            variables: {
              first: pageSize,
              filter: { industryId: filter(id), revenueAmount: { greaterThanOrEqualTo: low, lessThanOrEqualTo: high } },
            },
          });
        };
        await assertAnswers(peer, body(0));
        const bodies = values.map(({ variables }) => graphqlBody(query, variables));
        const targets = {
          ours: graphqlLoad(gateway, keys, bodies),
          theirs: { process: peer, path: '/graphql', body },
        };
        await bringToSpeed(Object.values(targets));
        const { ours, theirs } = await inTurn(targets, stage.postmaster);
        rows.push(throughputRow(nameOf(pageSize, title), ours, theirs, target, stage));
      } finally {
        await Promise.all([gateway.stop(), peer.stop()]);
      }
    }
  }
  return rows;
}

function throughputRow(
  metric: string,
  ours: Measured,
  theirs: Measured & { ratio: number },
  target: number | undefined,
  context: BenchContext,
): BenchRow {
  const { ratio } = theirs;
  const figures = (of: Measured) =>
    `${of.requestsPerSecond.toFixed(0)}/s (CPU Node ${of.nodeMs.toFixed(2)}, PostgreSQL ${of.postgresMs.toFixed(2)} ms)`;
  context.log(
    `${metric}: ${ratio.toFixed(2)}; ${figures(ours)} of ${figures(theirs)}, p99 ${ours.p99Ms.toFixed(1)} of ${theirs.p99Ms.toFixed(1)} ms`,
  );
  return {
    metric,
    unit: 'requests/s',
    ours: ours.requestsPerSecond,
    peer: theirs.requestsPerSecond,
    ratio,
    processorMs: { ours: ours.nodeMs + ours.postgresMs, peer: theirs.nodeMs + theirs.postgresMs },
    limit: target === undefined ? 'none' : `>= ${target}`,
    pass: target === undefined || ratio >= target,
  };
}

function latencyRow(metric: string, ours: number, peer: number): BenchRow {
  return belowRow(metric, 'ms', ours, 10, peer);
}

const postgraphileQuery = `query ($filter: CompanyFilter, $first: Int) { allCompanies(filter: $filter, first: $first, orderBy: PRIMARY_KEY_ASC) { totalCount
  edges { cursor node { rowId name websiteUrl description headquarters ticker exchange foundedYear isPublic hasSubsidiary numberOfEmployees industryId sectorId countryId revenue } }
  pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } }`;

/** The user changes with each request, as a key may make few calls a day. */
function graphqlLoad(process: BenchProcess, keys: readonly string[], bodies: readonly string[]): Target {
  const headers = keys.map((key) => `authorization: Bearer ${key}\r\n`);
  return {
    process,
    path: '/graphql',
    headersOf: (n) => headers[n % headers.length]!,
    body: (n) => bodies[n % bodies.length]!,
  };
}

interface AnsweredConnection {
  totalCount?: number;
  edges: { node: { id: string } }[];
}

async function connectionOf(
  url: string,
  query: MeasuredQuery,
  body: string,
  key?: string,
): Promise<AnsweredConnection | undefined> {
  const headers = { 'content-type': 'application/json', ...(key && { authorization: `Bearer ${key}` }) };
  const answer = await fetch(url, { method: 'POST', headers, body });
  return ((await answer.json()) as { data?: Record<string, AnsweredConnection> }).data?.[query.field];
}

/** The comparison is valid only when all servers give the same answer. */
function assertAlike(query: MeasuredQuery, answers: readonly (AnsweredConnection | undefined)[]): void {
  const shown = answers.map((connection) =>
    JSON.stringify([connection?.totalCount, connection?.edges.map(({ node }) => Object.keys(node).length + node.id)]),
  );
  if (answers.includes(undefined) || new Set(shown).size > 1)
    throw new Error(`${query.name}: the answers differ: ${shown.join(' and ')}`);
}

async function assertAnswers(process: BenchProcess, body: string): Promise<void> {
  const answer = await fetch(`${process.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  });
  const parsed = (await answer.json()) as { errors?: unknown; data?: { allCompanies?: { totalCount: number } } };
  if (!parsed.data?.allCompanies?.totalCount)
    throw new Error(`PostGraphile answered ${JSON.stringify(parsed).slice(0, 500)}`);
}
