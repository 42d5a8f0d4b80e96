// The targets of the interactions service: webhooks accepted durably, a large run stored in bounded memory, a thousand
// starts within the provider's slots, idle memory. The service runs as it is deployed, on a PostgreSQL with fsync on.
import { randomUUID } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startSimulator } from '@tradewind/provider-simulator';
import { freePort, startEmbeddedPostgres } from '@tradewind/testkit';
import pg from 'pg';
import type { Bench, BenchContext, BenchRow } from './bench.types.js';
import { BenchProcess } from './bench-process.js';
import { load } from './http-load.js';
import { startDatasetProvider } from './interactions-provider.js';
import { median } from './median.js';

const serviceMain = new URL('../../../apps/interactions/dist/main.js', import.meta.url);
const peerMain = new URL('./interactions-peer.js', import.meta.url);
const tracker = 'interactions."network_interactions_trackerDev"';

interface Stage {
  databaseUrl: string;
  sql: pg.Pool;
  start(settings?: Record<string, string>): Promise<BenchProcess>;
}

export const bench: Bench = {
  name: 'interactions',
  async run(context) {
    const folder = mkdtempSync(join(tmpdir(), 'tradewind-bench-'));
    chmodSync(folder, 0o755);
    const postgres = await startEmbeddedPostgres({ dataDir: join(folder, 'data'), port: await freePort() });
    const sql = new pg.Pool({ connectionString: postgres.url, max: 4 });
    // The server ends last; what is idle then is told so.
    sql.on('error', () => undefined);
    const stage: Stage = {
      databaseUrl: postgres.url,
      sql,
      start: async (settings = {}) => {
        const port = String(await freePort());
        return BenchProcess.start(serviceMain, {
          ENVIRONMENT: 'dev',
          CALLER_AUTH: 'none',
          LOG_LEVEL: 'warn',
          CLOUD: 'embedded',
          DATABASE_URL: postgres.url,
          WAREHOUSE_DATABASE_URL: postgres.url,
          WEBHOOK_BASE_URL: `http://127.0.0.1:${port}`,
          ...settings,
          PORT: port,
          METRICS_PORT: '0',
        });
      },
    };
    try {
      return [
        ...(await idleMemory(stage)),
        ...(await webhooks(stage, context)),
        ...(await largeRun(stage, context)),
        ...(await manyStarts(stage, context)),
      ];
    } finally {
      await sql.end();
      await postgres.stop();
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

async function idleMemory(stage: Stage): Promise<BenchRow[]> {
  const service = await stage.start();
  try {
    await delay(5_000);
    const residentMiB = service.residentMiB();
    return [
      {
        metric: 'Idle memory, 5 s after the start',
        unit: 'MiB',
        ours: residentMiB,
        limit: '< 160',
        pass: residentMiB < 160,
      },
    ];
  } finally {
    await service.stop();
  }
}

/** Webhooks of runs that are known and have ended, each another one: the whole way in, and hardly any work behind it. */
async function webhooks(stage: Stage, context: BenchContext): Promise<BenchRow[]> {
  const rounds = 5;
  const requests = Math.round(4_000 * context.scale);
  const paced = Math.round(300 * 20 * context.scale);
  const runIds = Array.from({ length: rounds * requests + paced }, (_, n) => `bench${String(n).padStart(12, '0')}`);
  const service = await stage.start();
  const peer = await BenchProcess.start(peerMain, { DATABASE_URL: stage.databaseUrl, PORT: String(await freePort()) });
  try {
    await stage.sql.query(
      `insert into ${tracker} (job_id, "networkUsername", "entityType", status, user_company_id, provider_run_id,
         posts_count, reactions_count, comments_count, completed_date, target_key, input, stage)
       select gen_random_uuid(), run_id, 'PERSON', 'COMPLETED', 'bench', run_id, 0, 0, 0, now(), run_id, '{}', 'done'
       from unnest($1::text[]) as run_id`,
      [runIds],
    );
    await stage.sql.query(`vacuum analyze ${tracker}`);
    const headers = { 'x-webhook-secret': 'dev-only-webhook-secret', 'x-correlation-id': randomUUID() };
    let used = 0;
    const toUs = (count: number, ratePerSecond?: number) => {
      const first = used;
      used += count;
      return load({
        base: service.url,
        path: '/scraper/network/webhook',
        headers,
        body: (n) => webhookBody(runIds[first + n]!),
        connections: 32,
        requests: count,
        ...(ratePerSecond ? { ratePerSecond } : {}),
      });
    };
    const toPeer = (count: number, ratePerSecond?: number) =>
      load({
        base: peer.url,
        path: '/webhook',
        headers,
        body: (n) => webhookBody(`peer${n}`),
        connections: 32,
        requests: count,
        ...(ratePerSecond ? { ratePerSecond } : {}),
      });
    const ours: number[] = [];
    const theirs: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const our = await toUs(requests);
      const their = await toPeer(requests);
      expectOnly200(our.statuses, their.statuses);
      ours.push(our.requestsPerSecond);
      theirs.push(their.requestsPerSecond);
      context.log(`webhooks: ${our.requestsPerSecond.toFixed(0)}/s, peer ${their.requestsPerSecond.toFixed(0)}/s`);
    }
    const ratio = median(ours.map((rate, round) => rate / theirs[round]!));
    const pacedOurs = await toUs(paced, 300);
    const pacedPeer = await toPeer(paced, 300);
    expectOnly200(pacedOurs.statuses, pacedPeer.statuses);
    return [
      {
        metric: 'Webhooks accepted durably, 32 connections, beside a bare Fastify handler that inserts one row',
        unit: '1/s',
        ours: median(ours),
        peer: median(theirs),
        ratio,
        limit: 'ratio >= 0.6',
        pass: ratio >= 0.6,
      },
      {
        metric: 'The same at 300 per second, p99',
        unit: 'ms',
        ours: pacedOurs.p99Ms,
        peer: pacedPeer.p99Ms,
        limit: '< 50',
        pass: pacedOurs.p99Ms < 50,
      },
    ];
  } finally {
    await service.stop();
    await peer.stop();
  }
}

function webhookBody(runId: string): string {
  return JSON.stringify({
    userId: 'bench',
    createdAt: '2026-11-21T07:00:00.000Z',
    eventType: 'ACTOR.RUN.SUCCEEDED',
    eventData: { actorId: 'actor', actorRunId: runId },
    resource: { id: runId, actId: 'actor', status: 'SUCCEEDED', defaultDatasetId: 'd', defaultKeyValueStoreId: 's' },
  });
}

function expectOnly200(...all: Record<number, number>[]): void {
  for (const statuses of all) {
    if (Object.keys(statuses).join() !== '200') throw new Error(`answers other than 200: ${JSON.stringify(statuses)}`);
  }
}

const tables = ['network_posts', 'network_post_comments', 'network_post_reactions'] as const;

async function largeRun(stage: Stage, context: BenchContext): Promise<BenchRow[]> {
  const items = Math.round(100_000 * context.scale);
  const provider = await startDatasetProvider(items);
  const service = await stage.start({ PROVIDER_BASE_URL: provider.url, FOLLOW_INTERVAL_MS: '100' });
  const rounds: { ours: number; peer: number; growthMiB: number }[] = [];
  try {
    // A small run first: what is loaded and compiled once is not what grows with a run.
    provider.serve(Math.round(items / 20));
    await storeRun(stage, service, 'bench-warm-up');
    provider.serve(items);
    for (let round = 0; round < 3; round++) {
      await stage.sql.query(`truncate ${tables.map((table) => `warehouse.${table}`).join()}`);
      const before = service.residentMiB();
      let peak = before;
      const watch = setInterval(() => (peak = Math.max(peak, service.residentMiB())), 50);
      const startedMs = performance.now();
      await storeRun(stage, service, `bench-${round}`);
      const seconds = (performance.now() - startedMs) / 1000;
      clearInterval(watch);
      const peerSeconds = await plainInserts(stage.sql, items);
      rounds.push({ ours: items / seconds, peer: items / peerSeconds, growthMiB: peak - before });
      context.log(
        `${items} items: ${(items / seconds).toFixed(0)}/s, plain ${(items / peerSeconds).toFixed(0)}/s, ${(peak - before).toFixed(0)} MiB`,
      );
    }
  } finally {
    await service.stop();
    await provider.close();
  }
  const ratio = median(rounds.map(({ ours, peer }) => ours / peer));
  const growthMiB = Math.max(...rounds.map((round) => round.growthMiB));
  return [
    {
      metric: `A run of ${items} items, trigger to COMPLETED, beside a plain batched INSERT of the same rows`,
      unit: 'items/s',
      ours: median(rounds.map(({ ours }) => ours)),
      peer: median(rounds.map(({ peer }) => peer)),
      ratio,
      limit: 'ratio >= 0.5',
      pass: ratio >= 0.5,
    },
    {
      metric: 'Growth of memory meanwhile, the worst of three',
      unit: 'MiB',
      ours: growthMiB,
      limit: '< 100',
      pass: growthMiB < 100,
    },
  ];
}

/** Triggers a run of everything the provider has, and waits until it is stored. */
async function storeRun(stage: Stage, service: BenchProcess, handle: string): Promise<void> {
  const answer = await fetch(`${service.url}/scraper/network/interactions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ user_company_id: 'bench', targets: [{ network_handle: handle, entity: 'PERSON' }] }),
  });
  if (!answer.ok) throw new Error(`the trigger was answered ${answer.status}`);
  await untilCompleted(stage.sql, handle);
}

async function untilCompleted(sql: pg.Pool, handle: string): Promise<void> {
  for (let waited = 0; waited < 600_000; waited += 20) {
    const { rows } = await sql.query<{ status: string }>(`select status from ${tracker} where "networkUsername" = $1`, [
      handle,
    ]);
    if (rows[0]?.status === 'COMPLETED') return;
    if (rows[0]?.status === 'FAILED') throw new Error('the run failed');
    await delay(20);
  }
  throw new Error('the run was not completed within ten minutes');
}

/** The very rows that were just stored, in batches of 500, into tables with the same columns and indexes. */
async function plainInserts(sql: pg.Pool, expected: number): Promise<number> {
  let seconds = 0;
  let count = 0;
  for (const table of tables) {
    await sql.query(`drop table if exists peer_${table}`);
    await sql.query(`create table peer_${table} (like warehouse.${table} including all)`);
    const { rows } = await sql.query<{ row: object }>(`select to_jsonb(t) as row from warehouse.${table} t`);
    count += rows.length;
    const startedMs = performance.now();
    for (let start = 0; start < rows.length; start += 500) {
      const batch = rows.slice(start, start + 500).map(({ row }) => row);
      await sql.query(
        `insert into peer_${table} select * from jsonb_populate_recordset(null::peer_${table}, $1::jsonb)`,
        [JSON.stringify(batch)],
      );
    }
    seconds += (performance.now() - startedMs) / 1000;
  }
  if (count !== expected) throw new Error(`${count} rows were stored of ${expected} items`);
  return seconds;
}

/** Runs last two seconds and a hundred may run at once: the thousandth cannot start before 18 seconds. */
async function manyStarts(stage: Stage, context: BenchContext): Promise<BenchRow[]> {
  const targets = Math.max(200, Math.round(1_000 * context.scale));
  const slots = 100;
  const runMs = 2_000;
  const optimumMs = (Math.ceil(targets / slots) - 1) * runMs;
  const simulator = await startSimulator({ runDurationMs: { min: runMs, max: runMs }, maxConcurrentRuns: slots });
  const service = await stage.start({ PROVIDER_BASE_URL: simulator.url, PROVIDER_SLOTS: String(slots) });
  try {
    const startedAt = Date.now();
    await Promise.all(
      Array.from({ length: targets / 100 }, async (_, request) => {
        const list = Array.from({ length: 100 }, (__, n) => ({
          network_handle: `start-${request}-${n}`,
          entity: 'PERSON',
        }));
        await fetch(`${service.url}/scraper/network/interactions`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ user_company_id: 'bench', targets: list }),
        });
      }),
    );
    const starts = () => simulator.ledger({ operation: 'run.start', effect: true });
    for (let waited = 0; starts().length < targets && waited < 300_000; waited += 100) await delay(100);
    const last = Math.max(...starts().map((start) => Date.parse(start.at)));
    if (starts().length !== targets) throw new Error(`${starts().length} runs were started of ${targets}`);
    const ourMs = last - startedAt;
    context.log(`${targets} starts: ${ourMs} ms, optimum ${optimumMs} ms`);
    return [
      {
        metric: `${targets} targets in requests of 100, ${slots} slots, runs of ${runMs / 1000} s: time to the last start, beside the optimum`,
        unit: 's',
        ours: ourMs / 1000,
        peer: optimumMs / 1000,
        ratio: ourMs / optimumMs,
        limit: 'ratio <= 1.3',
        pass: ourMs / optimumMs <= 1.3,
      },
    ];
  } finally {
    await service.stop();
    await simulator.close();
  }
}
