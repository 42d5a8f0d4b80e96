// What the benchmarks share: a PostgreSQL of their own, the programs under test, turns of ours and the peer, and table
// rows.
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort, startEmbeddedPostgres } from '@tradewind/testkit';
import pg from 'pg';
import type { BenchContext, BenchRow } from './bench.types.js';
import { BenchProcess, runningPostgres } from './bench-process.js';
import { load, type LoadOptions } from './http-load.js';
import { median } from './median.js';

type Env = Record<string, string>;

export interface Stage extends BenchContext {
  folder: string;
  /** PostgreSQL with fsync on, as services are deployed. */
  databaseUrl: string;
  sql: pg.Pool;
  /** Process id of the PostgreSQL server. */
  postmaster: number;
  /** Starts a program on a free port, unless its settings name one; it ends with the stage at the latest. */
  start(main: URL, env?: Env | ((url: string) => Env)): Promise<BenchProcess>;
}

/** Settings of a service that runs as it is deployed. The peers get them, too. */
const serviceSettings = {
  NODE_ENV: 'production',
  ENVIRONMENT: 'dev',
  LOG_LEVEL: 'warn',
  CALLER_AUTH: 'none',
  CLOUD: 'embedded',
};

/** @param options `dataDir` is kept, and made when it is missing; `schema` is the search path of `sql` */
export async function onStage<Result>(
  context: BenchContext,
  work: (stage: Stage) => Promise<Result>,
  options: { dataDir?: string | undefined; schema?: string } = {},
): Promise<Result> {
  const folder = options.dataDir ?? mkdtempSync(join(tmpdir(), 'tradewind-bench-'));
  mkdirSync(join(folder, 'objects'), { recursive: true });
  chmodSync(folder, 0o755);
  const dataDir = join(folder, 'data');
  const postgres = runningPostgres(dataDir) ?? (await startEmbeddedPostgres({ dataDir, port: await freePort() }));
  const searchPath = options.schema ? { options: `-c search_path=${options.schema}` } : {};
  const sql = new pg.Pool({ connectionString: postgres.url, max: 4, ...searchPath });
  // The server stops last, which ends idle connections.
  sql.on('error', () => undefined);
  const started: BenchProcess[] = [];
  const start: Stage['start'] = async (main, env = {}) => {
    const port = String(await freePort());
    const given = typeof env === 'function' ? env(`http://127.0.0.1:${port}`) : env;
    const databases = { DATABASE_URL: postgres.url, WAREHOUSE_DATABASE_URL: postgres.url };
    const own = { ...serviceSettings, ...databases, METRICS_PORT: '0', PATH: process.env['PATH'] ?? '' };
    const one = await BenchProcess.start(main, { ...own, PORT: port, ...given });
    started.push(one);
    return one;
  };
  try {
    return await work({ ...context, folder, databaseUrl: postgres.url, sql, postmaster: postgres.pid, start });
  } finally {
    for (const one of started.toReversed()) await one.stop();
    await sql.end();
    await postgres.stop();
    if (options.dataDir === undefined) rmSync(folder, { recursive: true, force: true });
  }
}

/** Checks the condition every 50 ms. @throws after ten minutes */
export async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
  for (let looks = 0; looks < 12_000; looks++) {
    if (await isSo()) return;
    await delay(50);
  }
  throw new Error(`${what}: not within ten minutes`);
}

export async function postJson(url: string, body: unknown): Promise<unknown> {
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}: ${await answer.text()}`);
  return answer.json();
}

/** How far the memory of a process grows meanwhile, MiB. */
export async function growthOf(process: BenchProcess, work: () => Promise<void>): Promise<number> {
  const before = process.residentMiB();
  let peak = before;
  const watch = setInterval(() => (peak = Math.max(peak, process.residentMiB())), 50);
  await work().finally(() => clearInterval(watch));
  return peak - before;
}

export interface Pair {
  ours: number;
  peer: number;
}

/** Ours and the peer in turn, so that both meet the same machine. */
export async function inRounds(
  rounds: number,
  ours: () => Promise<number>,
  peer: () => Promise<number>,
): Promise<Pair[]> {
  const pairs: Pair[] = [];
  for (let round = 0; round < rounds; round++) pairs.push({ ours: await ours(), peer: await peer() });
  return pairs;
}

/** A row of paired figures: medians, and the median of the ratios round by round. */
export function besideRow(metric: string, unit: string, pairs: readonly Pair[], least?: number): BenchRow {
  const ratio = median(pairs.map((pair) => pair.ours / pair.peer));
  return {
    metric,
    unit,
    ours: median(pairs.map(({ ours }) => ours)),
    peer: median(pairs.map(({ peer }) => peer)),
    ratio,
    limit: least === undefined ? 'none' : `ratio >= ${least}`,
    pass: least === undefined || ratio >= least,
  };
}

/** A row of a time that must not take more than so many times another one. */
export function ratioBelowRow(metric: string, unit: string, { ours, peer }: Pair, most: number): BenchRow {
  const ratio = ours / peer;
  return { metric, unit, ours, peer, ratio, limit: `ratio <= ${most}`, pass: ratio <= most };
}

export function belowRow(metric: string, unit: string, ours: number, most: number, peer?: number): BenchRow {
  return { metric, unit, ours, peer, limit: `< ${most}`, pass: ours < most };
}

/** The resources of a service that was just started and is idle. */
export async function idleMemoryRow(of: string, started: BenchProcess, mostMiB: number): Promise<BenchRow> {
  await delay(5_000);
  const row = belowRow(`Idle memory${of}, 5 s after the start`, 'MiB', started.residentMiB(), mostMiB);
  await started.stop();
  return row;
}

type Load = Pick<LoadOptions, 'base' | 'path' | 'headers' | 'body'>;

/**
 * Webhooks to ours, each another one, and to a bare Fastify handler that inserts one row for each. They are sent as
 * fast as they go, and at 300 a second.
 * @param settle waits until so many have been worked off, so that the peer has the machine to itself in its turn
 */
export async function webhookRows(
  stage: Stage,
  options: {
    metric: string;
    perRound: number;
    ours: Load;
    settle?: (count: number) => Promise<void>;
  },
): Promise<{ rows: BenchRow[]; settledPerSecond: number }> {
  const peer = await stage.start(new URL('./interactions-peer.js', import.meta.url));
  const theirs: Load = { ...options.ours, base: peer.url, path: '/webhook' };
  let used = 0;
  const send = async (to: Load, requests: number, ratePerSecond?: number) => {
    const first = used;
    if (to === options.ours) used += requests;
    const body = (n: number) => to.body(first + n);
    const result = await load({ ...to, body, connections: 32, requests, ...(ratePerSecond ? { ratePerSecond } : {}) });
    if (Object.keys(result.statuses).join() !== '200')
      throw new Error(`${to.base}${to.path} answered ${JSON.stringify(result.statuses)}`);
    return result;
  };
  const settled: number[] = [];
  const oneRound = async (requests: number) => {
    const startedMs = performance.now();
    const { requestsPerSecond } = await send(options.ours, requests);
    await options.settle?.(used);
    settled.push((requests * 1000) / (performance.now() - startedMs));
    return requestsPerSecond;
  };
  const theirRound = async (requests: number) => (await send(theirs, requests)).requestsPerSecond;
  await inRounds(
    1,
    () => oneRound(Math.min(500, options.perRound)),
    () => theirRound(Math.min(500, options.perRound)),
  );
  settled.length = 0;
  const pairs = await inRounds(
    5,
    () => oneRound(options.perRound),
    () => theirRound(options.perRound),
  );
  const paced = Math.round(300 * 20 * stage.scale);
  const calm = await send(options.ours, paced, 300);
  await options.settle?.(used);
  const peerCalm = await send(theirs, paced, 300);
  await peer.stop();
  return {
    rows: [
      besideRow(
        `${options.metric}, 32 connections, beside a bare Fastify handler that inserts one row`,
        '1/s',
        pairs,
        0.6,
      ),
      belowRow('The same at 300 per second, p99', 'ms', calm.p99Ms, 50, peerCalm.p99Ms),
    ],
    settledPerSecond: median(settled),
  };
}
