// The targets of the data API: throughput beside a hand-written server (the limit) and PostGraphile 5 (the peer) on the
// same database, latency, idle memory. The gateway runs as it is deployed, with keys and limits in force.
// At --scale 1: 1,000,000 companies, 2,000,000 persons, 1,000,000 deals, 1,000,000 contacts; loading takes a while.
import { execFileSync } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import { freePort, startEmbeddedPostgres } from '@tradewind/testkit';
import pg from 'pg';
import type { Bench, BenchContext, BenchRow } from './bench.types.js';
import { BenchProcess } from './bench-process.js';
import { graphqlBody, measuredQueries, type MeasuredQuery, type Values } from './graphql-queries.js';
import { load, type LoadResult } from './http-load.js';
import { median } from './median.js';

const gatewayMain = new URL('../../../apps/graphql-gateway/dist/main.js', import.meta.url);
const seedMain = new URL('../../seed/dist/seed.js', import.meta.url);
const rawMain = new URL('./graphql-raw-server.js', import.meta.url);
const postgraphileMain = new URL('./graphql-postgraphile.js', import.meta.url);

const connections = 8;
const rounds = 3;

export const bench: Bench = {
  name: 'graphql-gateway',
  async run(given) {
    const { scale } = given;
    // A multiple of the connections; 800 requests a round at full size.
    const context = {
      ...given,
      log: (line: string) => given.log(line),
      requests: Math.max(160, Math.round(100 * scale) * connections),
    };
    const folder = mkdtempSync(join(tmpdir(), 'tradewind-bench-'));
    chmodSync(folder, 0o755);
    const postgres = await startEmbeddedPostgres({ dataDir: join(folder, 'data'), port: await freePort() });
    const sql = new pg.Pool({ connectionString: postgres.url, options: '-c search_path=graphql_gateway', max: 4 });
    try {
      const common = { DATABASE_URL: postgres.url, PATH: process.env['PATH'] ?? '' };
      execFileSync(process.execPath, [gatewayMain.pathname, 'migrate'], {
        env: { ...common, ...gatewaySettings },
        stdio: 'inherit',
      });
      const rows = (millions: number) => String(Math.ceil(millions * 1e6 * context.scale));
      context.log(`loading ${rows(1)} companies, ${rows(2)} persons, ${rows(1)} deals, ${rows(1)} contacts`);
      execFileSync(
        process.execPath,
        [seedMain.pathname, '--companies', rows(1), '--persons', rows(2), '--deals', rows(1), '--contacts', rows(1)],
        { env: common, stdio: ['ignore', 'ignore', 'inherit'] },
      );
      await sql.query('vacuum analyze');
      await sql.query('checkpoint');
      const keys = await makeKeys(sql);
      return [
        ...(await idleMemory(common)),
        ...(await besideTheLimit({ sql, common, keys, pageSize: 1, target: 0.6, context })),
        ...(await besideTheLimit({ sql, common, keys, pageSize: 50, target: 0.8, context })),
        ...(await besidePostgraphile({ sql, common, keys, context })),
      ];
    } finally {
      await sql.end();
      await postgres.stop();
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

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

async function idleMemory(common: Env): Promise<BenchRow[]> {
  const gateway = await start(gatewayMain, { ...common, ...gatewaySettings });
  try {
    await delay(5_000);
    const ours = gateway.residentMiB();
    return [{ metric: 'Idle memory, 5 s after the start', unit: 'MiB', ours, limit: '< 190', pass: ours < 190 }];
  } finally {
    await gateway.stop();
  }
}

interface Stage {
  sql: pg.Pool;
  common: Env;
  keys: string[];
  context: BenchContext & { requests: number };
}

/** Each query, each server in turn, round by round; the figure is the median of the ratios. */
async function besideTheLimit({
  sql,
  common,
  keys,
  context,
  pageSize,
  target,
}: Stage & { pageSize: number; target: number }): Promise<BenchRow[]> {
  const env = { ...common, DATA_PAGE_SIZE: String(pageSize) };
  const gateway = await start(gatewayMain, { ...env, ...gatewaySettings });
  const raw = await start(rawMain, env);
  try {
    const rows: BenchRow[] = [];
    for (const [index, query] of measuredQueries.entries()) {
      const values = await query.draw(sql);
      if (values.length === 0) throw new Error(`no values for ${query.name}`);
      const ours = () => gatewayLoad(gateway, keys, query, values, context.requests);
      const theirs = () =>
        load({
          connections,
          requests: context.requests,
          base: raw.url,
          path: `/${index}`,
          headers: {},
          body: (n) => JSON.stringify(values[n % values.length]!.parameters),
        });
      await assertSameAnswer(gateway, raw, keys[0]!, query, index, values[0]!);
      await Promise.all([ours(), theirs()]);
      const results = await inTurn(ours, theirs);
      const name = `${query.name}, page of ${pageSize}`;
      context.log(
        `${name}: ${results.ours.requestsPerSecond.toFixed(0)} of ${results.theirs.requestsPerSecond.toFixed(0)} requests/s, p99 ${results.ours.p99Ms.toFixed(1)} of ${results.theirs.p99Ms.toFixed(1)} ms`,
      );
      rows.push({
        metric: `${name}: throughput beside hand-written SQL`,
        unit: 'requests/s',
        ours: results.ours.requestsPerSecond,
        peer: results.theirs.requestsPerSecond,
        ratio: results.ratio,
        limit: `>= ${target}`,
        pass: results.ratio >= target,
      });
      if (!query.isCounted) {
        rows.push({
          metric: `${name}: p99 at ${connections} connections`,
          unit: 'ms',
          ours: results.ours.p99Ms,
          peer: results.theirs.p99Ms,
          limit: '< 10',
          pass: results.ours.p99Ms < 10,
        });
      }
    }
    return rows;
  } finally {
    await Promise.all([gateway.stop(), raw.stop()]);
  }
}

/** The one query that PostGraphile can express with its filter plugin, without and with its count. */
async function besidePostgraphile({ sql, common, keys, context }: Stage): Promise<BenchRow[]> {
  const rows: BenchRow[] = [];
  for (const pageSize of [1, 50]) {
    const gateway = await start(gatewayMain, { ...common, ...gatewaySettings, DATA_PAGE_SIZE: String(pageSize) });
    const peers = [
      {
        title: 'PostGraphile as it comes',
        target: 3,
        process: await start(postgraphileMain, common),
        filter: (id: string) => ({ in: [id] }),
      },
      {
        title: 'PostGraphile tuned',
        target: 2,
        process: await start(postgraphileMain, { ...common, TUNED: 'true' }),
        filter: (id: string) => ({ equalTo: id }),
      },
    ];
    try {
      const query = measuredQueries.find(({ isCounted }) => isCounted)!;
      const values = await query.draw(sql);
      for (const { title, target, process, filter } of peers) {
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
        const theirs = () =>
          load({ connections, requests: context.requests, base: process.url, path: '/graphql', headers: {}, body });
        const ours = () => gatewayLoad(gateway, keys, query, values, context.requests);
        await assertAnswers(process, body(0));
        await Promise.all([ours(), theirs()]);
        const results = await inTurn(ours, theirs);
        context.log(
          `${title}, page of ${pageSize}: ${results.ours.requestsPerSecond.toFixed(0)} of ${results.theirs.requestsPerSecond.toFixed(0)} requests/s`,
        );
        rows.push({
          metric: `${query.name}, page of ${pageSize}: throughput beside ${title}`,
          unit: 'requests/s',
          ours: results.ours.requestsPerSecond,
          peer: results.theirs.requestsPerSecond,
          ratio: results.ratio,
          limit: `>= ${target}`,
          pass: results.ratio >= target,
        });
      }
    } finally {
      await Promise.all([gateway, ...peers.map((peer) => peer.process)].map((each) => each.stop()));
    }
  }
  return rows;
}

const postgraphileQuery = `query ($filter: CompanyFilter, $first: Int) { allCompanies(filter: $filter, first: $first, orderBy: PRIMARY_KEY_ASC) { totalCount
  edges { cursor node { rowId name websiteUrl description headquarters ticker exchange foundedYear isPublic hasSubsidiary numberOfEmployees industryId sectorId countryId revenue } }
  pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } }`;

/** Each connection is a user of its own: the data calls of one user are counted one after the other. */
async function gatewayLoad(
  gateway: BenchProcess,
  keys: string[],
  query: MeasuredQuery,
  values: readonly Values[],
  requests: number,
): Promise<LoadResult> {
  const bodies = values.map(({ variables }) => graphqlBody(query, variables));
  const startedMs = performance.now();
  const results = await Promise.all(
    keys.map((key, user) =>
      load({
        base: gateway.url,
        path: '/graphql',
        headers: { authorization: `Bearer ${key}` },
        body: (n) => bodies[(n * connections + user) % bodies.length]!,
        connections: 1,
        requests: requests / connections,
      }),
    ),
  );
  const statuses: Record<number, number> = {};
  for (const result of results)
    for (const [status, count] of Object.entries(result.statuses))
      statuses[Number(status)] = (statuses[Number(status)] ?? 0) + count;
  if (Object.keys(statuses).join() !== '200')
    throw new Error(`${query.name}: the gateway answered ${JSON.stringify(statuses)}`);
  return {
    requestsPerSecond: requests / ((performance.now() - startedMs) / 1000),
    p50Ms: median(results.map(({ p50Ms }) => p50Ms)),
    p99Ms: median(results.map(({ p99Ms }) => p99Ms)),
    statuses,
  };
}

async function inTurn(ours: () => Promise<LoadResult>, theirs: () => Promise<LoadResult>) {
  const results: { ours: LoadResult; theirs: LoadResult }[] = [];
  for (let round = 0; round < rounds; round++) {
    const mine = await ours();
    results.push({ ours: mine, theirs: await theirs() });
  }
  const of = (which: 'ours' | 'theirs') => ({
    requestsPerSecond: median(results.map((result) => result[which].requestsPerSecond)),
    p99Ms: median(results.map((result) => result[which].p99Ms)),
  });
  return {
    ours: of('ours'),
    theirs: of('theirs'),
    ratio: median(results.map((result) => result.ours.requestsPerSecond / result.theirs.requestsPerSecond)),
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

/** One API key for each connection, straight into the table: the log-in is not what is measured. */
async function makeKeys(sql: pg.Pool): Promise<string[]> {
  const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
  const keys = Array.from({ length: connections }, (_, index) => {
    const body = `BenchKey${index}`.padEnd(43, '0');
    let rest = crc32(body);
    let checksum = '';
    for (let i = 0; i < 6; i++, rest = Math.floor(rest / 62)) checksum = alphabet[rest % 62] + checksum;
    return `svc_${body}${checksum}`;
  });
  for (const key of keys) {
    await sql.query(
      `insert into api_key (user_id, user_email, name, prefix, key_hash, created_at, expires_at) values ($1, 'bench@example.com', 'bench', $2, $3, now(), now() + interval '1 day')`,
      [randomUUID(), key.slice(0, 8), createHash('sha256').update(key).digest()],
    );
  }
  return keys;
}
