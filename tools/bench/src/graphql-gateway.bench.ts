// The targets of the data API: throughput beside a hand-written server (the limit), and beside Mercurius and PostGraphile
// (the peers) on the same database; latency; idle memory. The gateway runs as it is deployed, with keys and limits.
// At --scale 1: 1,000,000 companies, 2,000,000 persons, 1,000,000 deals, 1,000,000 contacts; loading takes a while.
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort, startEmbeddedPostgres } from '@tradewind/testkit';
import pg from 'pg';
import { makeApiKeys } from './api-keys.js';
import type { Bench, BenchContext, BenchRow } from './bench.types.js';
import { BenchProcess, runningPostgres } from './bench-process.js';
import { graphqlBody, measuredQueries, type MeasuredQuery, type Values } from './graphql-queries.js';
import { bringToSpeed, connections, inTurn, send, type InTurn, type Measured, type Target } from './in-turn.js';

const gatewayMain = new URL('../../../apps/graphql-gateway/dist/main.js', import.meta.url);
const seedMain = new URL('../../seed/dist/seed.js', import.meta.url);
const rawMain = new URL('./graphql-raw-server.js', import.meta.url);
const mercuriusMain = new URL('./graphql-mercurius.js', import.meta.url);
const postgraphileMain = new URL('./graphql-postgraphile.js', import.meta.url);

// One user may make 10 calls a day: 200 of them, each with a key, are nearer to the truth than one a connection.
const users = 200;
/** Requests a second at which the latency of an unsaturated server is taken. */
const calmRate = 100;
// A thousand requests: of fewer, one pause of the collector is more than one in a hundred.
const calmSeconds = 10;

export const bench: Bench = {
  name: 'graphql-gateway',
  async run(context) {
    const folder = context.dataDir ?? mkdtempSync(join(tmpdir(), 'tradewind-bench-'));
    mkdirSync(folder, { recursive: true });
    chmodSync(folder, 0o755);
    const dataDir = join(folder, 'data');
    const postgres = runningPostgres(dataDir) ?? (await startEmbeddedPostgres({ dataDir, port: await freePort() }));
    const sql = new pg.Pool({ connectionString: postgres.url, options: '-c search_path=graphql_gateway', max: 4 });
    // The server ends last; what is idle then is told so.
    sql.on('error', () => undefined);
    try {
      const common = { DATABASE_URL: postgres.url, PATH: process.env['PATH'] ?? '' };
      await fill(sql, common, context);
      const stage = { sql, common, keys: await makeApiKeys(sql, users), context, postmaster: postgres.pid };
      return [
        ...(isWanted(context, idleMemoryMetric) ? await idleMemory(common) : []),
        ...(await besideTheLimit({ ...stage, pageSize: 1, target: 0.5 })),
        ...(await besideTheLimit({ ...stage, pageSize: 50, target: 0.7 })),
        ...(await besideMercurius({ ...stage, pageSize: 1 })),
        ...(await besideMercurius({ ...stage, pageSize: 50 })),
        ...(await besidePostgraphile(stage)),
      ];
    } finally {
      await sql.end();
      await postgres.stop();
      if (context.dataDir === undefined) rmSync(folder, { recursive: true, force: true });
    }
  },
};

/** Brings the tables up to their size; in a folder that was filled before there is nothing left to do. */
async function fill(sql: pg.Pool, common: Env, context: BenchContext): Promise<void> {
  execFileSync(process.execPath, [gatewayMain.pathname, 'migrate'], {
    env: { ...common, ...gatewaySettings },
    stdio: 'inherit',
  });
  const rows = (millions: number) => String(Math.ceil(millions * 1e6 * context.scale));
  context.log(`loading ${rows(1)} companies, ${rows(2)} persons, ${rows(1)} deals, ${rows(1)} contacts`);
  const before = await tableSizes(sql);
  execFileSync(
    process.execPath,
    [seedMain.pathname, '--companies', rows(1), '--persons', rows(2), '--deals', rows(1), '--contacts', rows(1)],
    { env: common, stdio: ['ignore', 'ignore', 'inherit'] },
  );
  if ((await tableSizes(sql)) === before) return;
  await sql.query('vacuum analyze');
  await sql.query('checkpoint');
}

async function tableSizes(sql: pg.Pool): Promise<string> {
  const { rows } = await sql.query<{ sizes: string }>(
    `select string_agg(pg_relation_size(name::regclass)::text, ' ') as sizes from unnest(array['company', 'person', 'deal', 'contact']) name`,
  );
  return rows[0]!.sizes;
}

function isWanted({ only }: BenchContext, name: string): boolean {
  return only === undefined || new RegExp(only).test(name);
}

const gatewaySettings = {
  ENVIRONMENT: 'dev',
  LOG_LEVEL: 'warn',
  OAUTH_ISSUER: 'http://127.0.0.1:9',
  DATA_CALLS_PER_DAY: '1000000000',
  EXPLORER: 'false',
};

type Env = Record<string, string>;

async function start(main: URL, env: Env): Promise<BenchProcess> {
  return BenchProcess.start(main, { ...env, PORT: String(await freePort()), METRICS_PORT: '0' });
}

const idleMemoryMetric = 'Idle memory, 5 s after the start';

async function idleMemory(common: Env): Promise<BenchRow[]> {
  const gateway = await start(gatewayMain, { ...common, ...gatewaySettings });
  try {
    await delay(5_000);
    const ours = gateway.residentMiB();
    return [{ metric: idleMemoryMetric, unit: 'MiB', ours, limit: '< 190', pass: ours < 190 }];
  } finally {
    await gateway.stop();
  }
}

interface Stage {
  sql: pg.Pool;
  common: Env;
  keys: string[];
  context: BenchContext;
  /** Process id of the PostgreSQL server. */
  postmaster: number;
}

/** Each query, each server in turn, round by round; the figure is the median of the ratios. */
async function besideTheLimit(stage: Stage & { pageSize: number; target: number }): Promise<BenchRow[]> {
  const { sql, common, keys, context, pageSize, target } = stage;
  const nameOf = (query: MeasuredQuery) => `${query.name}, page of ${pageSize}`;
  const wanted = [...measuredQueries.entries()].filter(([, query]) => isWanted(context, nameOf(query)));
  if (wanted.length === 0) return [];
  const env = { ...common, DATA_PAGE_SIZE: String(pageSize) };
  const gateway = await start(gatewayMain, { ...env, ...gatewaySettings });
  const raw = await start(rawMain, env);
  try {
    const rows: BenchRow[] = [];
    for (const [index, query] of wanted) {
      const values = await query.draw(sql);
      if (values.length === 0) throw new Error(`no values for ${query.name}`);
      const { variables, parameters } = values[0]!;
      assertAlike(query, [
        await connectionOf(`${gateway.url}/graphql`, query, graphqlBody(query, variables), keys[0]),
        await connectionOf(`${raw.url}/${index}`, query, JSON.stringify(parameters)),
      ]);
      const ours = gatewayLoad(gateway, keys, query, values);
      const theirs = {
        process: raw,
        path: `/${index}`,
        body: (n: number) => JSON.stringify(values[n % values.length]!.parameters),
      };
      if (rows.length === 0) await bringToSpeed([ours, theirs]);
      const results = await inTurn(ours, theirs, stage.postmaster);
      const name = nameOf(query);
      rows.push(throughputRow(`${name}: throughput beside hand-written SQL`, results, target, context));
      if (!query.isCounted) {
        const pace = { ratePerSecond: calmRate, seconds: calmSeconds };
        const calm = { ours: await send(ours, pace), theirs: await send(theirs, pace) };
        rows.push(
          latencyRow(
            `${name}: p99 at ${connections} connections, as fast as they go`,
            results.ours.p99Ms,
            results.theirs.p99Ms,
          ),
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
    await Promise.all([gateway.stop(), raw.stop()]);
  }
}

/** Each query beside the same GraphQL request to Mercurius, which answers it with the hand-written SQL. */
async function besideMercurius(stage: Stage & { pageSize: number }): Promise<BenchRow[]> {
  const { sql, common, keys, context, pageSize } = stage;
  const nameOf = (query: MeasuredQuery) => `${query.name}, page of ${pageSize}: throughput beside Mercurius`;
  const wanted = [...measuredQueries.entries()].filter(([, query]) => isWanted(context, nameOf(query)));
  if (wanted.length === 0) return [];
  const env = { ...common, DATA_PAGE_SIZE: String(pageSize) };
  const gateway = await start(gatewayMain, { ...env, ...gatewaySettings });
  const mercurius = await start(mercuriusMain, env);
  try {
    const rows: BenchRow[] = [];
    for (const [index, query] of wanted) {
      const values = await query.draw(sql);
      const bodies = values.map(({ variables, parameters }) =>
        graphqlBody(query, variables, { extensions: { index, parameters } }),
      );
      const path = '/graphql';
      const answers = [
        await connectionOf(`${gateway.url}${path}`, query, graphqlBody(query, values[0]!.variables), keys[0]),
        await connectionOf(`${mercurius.url}${path}`, query, bodies[0]!),
      ];
      assertAlike(query, answers);
      const ours = gatewayLoad(gateway, keys, query, values);
      const theirs = { process: mercurius, path, body: (n: number) => bodies[n % bodies.length]! };
      if (rows.length === 0) await bringToSpeed([ours, theirs]);
      rows.push(throughputRow(nameOf(query), await inTurn(ours, theirs, stage.postmaster), 1, context));
    }
    return rows;
  } finally {
    await Promise.all([gateway.stop(), mercurius.stop()]);
  }
}

/** The one query that PostGraphile can express with its filter plugin. */
async function besidePostgraphile(stage: Stage): Promise<BenchRow[]> {
  const { sql, common, keys, context } = stage;
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
      if (!isWanted(context, nameOf(pageSize, title))) continue;
      const values = await query.draw(sql);
      const gateway = await start(gatewayMain, { ...common, ...gatewaySettings, DATA_PAGE_SIZE: String(pageSize) });
      const peer = await start(postgraphileMain, { ...common, ...settings });
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
        const ours = gatewayLoad(gateway, keys, query, values);
        const theirs = { process: peer, path: '/graphql', body };
        await bringToSpeed([ours, theirs]);
        const results = await inTurn(ours, theirs, stage.postmaster);
        rows.push(throughputRow(nameOf(pageSize, title), results, target, context));
      } finally {
        await Promise.all([gateway.stop(), peer.stop()]);
      }
    }
  }
  return rows;
}

function throughputRow(metric: string, results: InTurn, target: number, context: BenchContext): BenchRow {
  const { ours, theirs, ratio } = results;
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
    limit: `>= ${target}`,
    pass: ratio >= target,
  };
}

function latencyRow(metric: string, ours: number, peer?: number): BenchRow {
  return { metric, unit: 'ms', ours, ...(peer === undefined ? {} : { peer }), limit: '< 10', pass: ours < 10 };
}

const postgraphileQuery = `query ($filter: CompanyFilter, $first: Int) { allCompanies(filter: $filter, first: $first, orderBy: PRIMARY_KEY_ASC) { totalCount
  edges { cursor node { rowId name websiteUrl description headquarters ticker exchange foundedYear isPublic hasSubsidiary numberOfEmployees industryId sectorId countryId revenue } }
  pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } }`;

function gatewayLoad(
  gateway: BenchProcess,
  keys: readonly string[],
  query: MeasuredQuery,
  values: readonly Values[],
): Target {
  const bodies = values.map(({ variables }) => graphqlBody(query, variables));
  const headers = keys.map((key) => `authorization: Bearer ${key}\r\n`);
  return {
    process: gateway,
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

/** A comparison is worth something only when all servers answer the same. */
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
