// The targets of the data API: throughput beside a hand-written server (the limit) and PostGraphile 5 (the peer) on the
// same database, latency, idle memory. The gateway runs as it is deployed, with keys and limits in force.
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
        ...(await besideTheLimit({ ...stage, pageSize: 1, target: 0.6 })),
        ...(await besideTheLimit({ ...stage, pageSize: 50, target: 0.8 })),
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
      const values = await query.draw(sql, pageSize + 1);
      if (values.length === 0) throw new Error(`no values for ${query.name}`);
      await assertSameAnswer(gateway, raw, keys[0]!, query, index, values[0]!);
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
      const values = await query.draw(sql, pageSize + 1);
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

/** The comparison is worth something only when both answer the same. */
async function assertSameAnswer(
  gateway: BenchProcess,
  raw: BenchProcess,
  key: string,
  query: MeasuredQuery,
  index: number,
  values: Values,
): Promise<void> {
  const post = async (url: string, headers: Record<string, string>, body: string) =>
    (await (
      await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body })
    ).json()) as { data: Record<string, { totalCount?: number; edges: { node: { id: string; name?: string } }[] }> };
  const ours = (
    await post(`${gateway.url}/graphql`, { authorization: `Bearer ${key}` }, graphqlBody(query, values.variables))
  ).data?.[query.field];
  const theirs = (await post(`${raw.url}/${index}`, {}, JSON.stringify(values.parameters))).data?.[query.field];
  const shown = (connection: typeof ours) =>
    JSON.stringify([connection?.totalCount, connection?.edges.map(({ node }) => Object.keys(node).length + node.id)]);
  if (!ours || shown(ours) !== shown(theirs))
    throw new Error(`${query.name}: the answers differ: ${shown(ours)} and ${shown(theirs)}`);
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
