// The targets of the monthly priority pipeline: publishing two hundred thousand people, accepting profile webhooks durably,
// ten thousand profiles from end to end, idle memory. The services run as they are deployed, on a PostgreSQL with fsync on.
import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startSimulator } from '@tradewind/provider-simulator';
import { freePort, startEmbeddedPostgres } from '@tradewind/testkit';
import pg from 'pg';
import { PgBoss } from 'pg-boss';
import type { Bench, BenchContext, BenchRow } from './bench.types.js';
import { BenchProcess } from './bench-process.js';
import { load } from './http-load.js';
import { median } from './median.js';

type Service = 'coordinator' | 'priority-api' | 'priority-webhook';

const mainOf = (service: Service) => new URL(`../../../apps/${service}/dist/main.js`, import.meta.url);
const peerMain = new URL('./interactions-peer.js', import.meta.url);
const token = 'bench-service-token';
const topic = 'network-scraping-batches';

interface Stage {
  databaseUrl: string;
  sql: pg.Pool;
  start(service: Service, settings?: Record<string, string>, port?: number): Promise<BenchProcess>;
}

export const bench: Bench = {
  name: 'priority-pipeline',
  async run(context) {
    const folder = mkdtempSync(join(tmpdir(), 'tradewind-bench-'));
    chmodSync(folder, 0o755);
    mkdirSync(join(folder, 'objects'));
    const postgres = await startEmbeddedPostgres({ dataDir: join(folder, 'data'), port: await freePort() });
    const sql = new pg.Pool({ connectionString: postgres.url, max: 4 });
    // The server ends last; what is idle then is told so.
    sql.on('error', () => undefined);
    const stage: Stage = {
      databaseUrl: postgres.url,
      sql,
      start: async (service, settings = {}, port) =>
        BenchProcess.start(mainOf(service), {
          ENVIRONMENT: 'dev',
          NODE_ENV: 'production',
          CALLER_AUTH: 'none',
          LOG_LEVEL: 'warn',
          DATABASE_URL: postgres.url,
          WAREHOUSE_DATABASE_URL: postgres.url,
          QUEUE_DATABASE_URL: postgres.url,
          OBJECT_STORE_DIR: join(folder, 'objects'),
          SERVICE_TOKEN: token,
          SERVICE_TOKENS: `bench:${createHash('sha256').update(token).digest('hex')}:priority-api+priority-webhook`,
          ...settings,
          PORT: String(port ?? (await freePort())),
          METRICS_PORT: '0',
        }),
    };
    try {
      const unknown = (context.parts ?? []).filter((name) => !(name in parts));
      if (unknown.length > 0) {
        throw new Error(`No part named ${unknown.join(', ')}. There are: ${Object.keys(parts).join(', ')}`);
      }
      const rows: BenchRow[] = [];
      for (const [name, measure] of Object.entries(parts)) {
        if (context.parts === undefined || context.parts.includes(name)) rows.push(...(await measure(stage, context)));
      }
      return rows;
    } finally {
      await sql.end();
      await postgres.stop();
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

/** Each can be measured alone: `npm run bench -- priority-pipeline --part webhooks`. */
const parts: Record<string, (stage: Stage, context: BenchContext) => Promise<BenchRow[]>> = {
  idle: idleMemory,
  publishing,
  webhooks,
  'end-to-end': endToEnd,
};

async function idleMemory(stage: Stage): Promise<BenchRow[]> {
  const rows: BenchRow[] = [];
  for (const service of ['coordinator', 'priority-api', 'priority-webhook'] as const) {
    // The coordinator as it idles on the embedded queue: with the dispatcher of pushes.
    const running = await stage.start(
      service,
      service === 'coordinator' ? { PUSH_ENDPOINT: 'http://127.0.0.1:9/batch-trigger/' } : {},
    );
    try {
      await delay(5_000);
      const residentMiB = running.residentMiB();
      rows.push({
        metric: `Idle memory of ${service}, 5 s after the start`,
        unit: 'MiB',
        ours: residentMiB,
        limit: '< 160',
        pass: residentMiB < 160,
      });
    } finally {
      await running.stop();
    }
  }
  return rows;
}

/** The same batches, published by the coordinator and by the queue's own client in calls of the same size. */
async function publishing(stage: Stage, context: BenchContext): Promise<BenchRow[]> {
  const people = Math.round(200_000 * context.scale);
  const coordinator = await stage.start('coordinator');
  const boss = new PgBoss({
    connectionString: stage.databaseUrl,
    schema: 'queue',
    supervise: false,
    schedule: false,
    max: 3,
  });
  // Nothing here depends on what happens in its background.
  boss.on('error', () => undefined);
  await boss.start();
  const publishSeconds: number[] = [];
  const peerSeconds: number[] = [];
  const wholeSeconds: number[] = [];
  let growthMiB = 0;
  try {
    await addPeople(stage.sql, people);
    for (let round = 0; round < 3; round++) {
      await stage.sql.query('checkpoint');
      const before = coordinator.residentMiB();
      let peak = before;
      const watch = setInterval(() => (peak = Math.max(peak, coordinator.residentMiB())), 50);
      const runId = await runToEnd(coordinator, { month: `2026-0${round + 1}` });
      clearInterval(watch);
      // The first run loads what every run needs.
      if (round > 0) growthMiB = Math.max(growthMiB, peak - before);
      const { rows } = await stage.sql.query<{ publish: number; whole: number }>(
        `select extract(epoch from finished_at - selected_at)::float8 as publish, extract(epoch from finished_at - created_at)::float8 as whole
         from coordinator.run where run_id = $1 and published_profiles = $2`,
        [runId, people],
      );
      publishSeconds.push(rows[0]!.publish);
      wholeSeconds.push(rows[0]!.whole);
      const batches = await stage.sql.query<{ message: string }>(
        'select message from coordinator.run_batch where run_id = $1 order by batch_number',
        [runId],
      );
      await stage.sql.query('checkpoint');
      const startedMs = performance.now();
      for (let at = 0; at < batches.rows.length; at += 20) {
        const chunk = batches.rows.slice(at, at + 20);
        await boss.insert(
          topic,
          chunk.map(({ message }, index) => ({
            data: {
              data: message,
              attributes: { batch_number: String(at + index + 1), total_batches: String(batches.rows.length) },
            },
          })),
        );
      }
      peerSeconds.push((performance.now() - startedMs) / 1000);
      context.log(
        `publishing ${people} people: ${rows[0]!.publish.toFixed(2)} s (whole run ${rows[0]!.whole.toFixed(2)} s), queue client ${peerSeconds.at(-1)!.toFixed(2)} s`,
      );
      await stage.sql.query('delete from queue.job where name = $1', [topic]);
    }
  } finally {
    await boss.stop({ graceful: false });
    await coordinator.stop();
    await stage.sql.query('truncate warehouse.person_fields, warehouse.person_identifiers');
  }
  const ratio = median(publishSeconds.map((seconds, round) => peerSeconds[round]! / seconds));
  return [
    {
      metric: `${people} people published, beside pg-boss inserting the same batches 20 at a time`,
      unit: 'people/s',
      ours: people / median(publishSeconds),
      peer: people / median(peerSeconds),
      ratio,
      limit: 'ratio >= 0.7',
      pass: ratio >= 0.7,
    },
    {
      metric: 'The same with reading, de-duplicating and numbering them before (for information)',
      unit: 'people/s',
      ours: people / median(wholeSeconds),
      peer: people / median(peerSeconds),
      ratio: median(wholeSeconds.map((seconds, round) => peerSeconds[round]! / seconds)),
      limit: 'none',
      pass: true,
    },
    {
      metric: 'Growth of the coordinator meanwhile',
      unit: 'MiB',
      ours: growthMiB,
      limit: '< 60',
      pass: growthMiB < 60,
    },
  ];
}

/** Each turn of ours ends when everything is stored, so that the peer has the machine to itself in its own. */
async function webhooks(stage: Stage, context: BenchContext): Promise<BenchRow[]> {
  const rounds = 5;
  const requests = Math.round(5_000 * context.scale);
  const service = await stage.start('priority-webhook');
  const peer = await BenchProcess.start(peerMain, { DATABASE_URL: stage.databaseUrl, PORT: String(await freePort()) });
  let used = 0;
  const toUs = (count: number, ratePerSecond?: number) => {
    const first = used;
    used += count;
    return load({
      base: service.url,
      path: '/webhook/network',
      headers: { 'x-webhook-secret': 'dev-only-profile-webhook-secret' },
      body: (n) => webhookBody(first + n),
      connections: 32,
      requests: count,
      ...(ratePerSecond ? { ratePerSecond } : {}),
    });
  };
  const toPeer = (count: number, ratePerSecond?: number) =>
    load({
      base: peer.url,
      path: '/webhook',
      headers: {},
      body: webhookBody,
      connections: 32,
      requests: count,
      ...(ratePerSecond ? { ratePerSecond } : {}),
    });
  try {
    const ours: number[] = [];
    const stored: number[] = [];
    const theirs: number[] = [];
    await toUs(Math.min(500, requests));
    await untilStored(stage.sql, used);
    await toPeer(Math.min(500, requests));
    for (let round = 0; round < rounds; round++) {
      const startedMs = performance.now();
      const our = await toUs(requests);
      await untilStored(stage.sql, used);
      stored.push(requests / ((performance.now() - startedMs) / 1000));
      const their = await toPeer(requests);
      expectOnly200(our.statuses, their.statuses);
      ours.push(our.requestsPerSecond);
      theirs.push(their.requestsPerSecond);
      context.log(
        `webhooks: ${our.requestsPerSecond.toFixed(0)}/s, until stored ${stored.at(-1)!.toFixed(0)}/s, peer ${their.requestsPerSecond.toFixed(0)}/s`,
      );
    }
    const ratio = median(ours.map((rate, round) => rate / theirs[round]!));
    const paced = Math.round(300 * 20 * context.scale);
    const pacedOurs = await toUs(paced, 300);
    const drainedMs = performance.now();
    await untilStored(stage.sql, used);
    context.log(`all ${used} stored ${((performance.now() - drainedMs) / 1000).toFixed(1)} s later`);
    const pacedPeer = await toPeer(paced, 300);
    expectOnly200(pacedOurs.statuses, pacedPeer.statuses);
    context.log(`webhooks at 300/s: p99 ${pacedOurs.p99Ms.toFixed(1)} ms, peer ${pacedPeer.p99Ms.toFixed(1)} ms`);
    return [
      {
        metric:
          'Webhooks accepted durably while earlier ones are stored and backed up, 32 connections, beside a bare Fastify handler that inserts one row',
        unit: '1/s',
        ours: median(ours),
        peer: median(theirs),
        ratio,
        limit: 'ratio >= 0.6',
        pass: ratio >= 0.6,
      },
      {
        metric: `The same ${requests} until the last one is stored and backed up as well`,
        unit: '1/s',
        ours: median(stored),
        limit: '>= 300',
        pass: median(stored) >= 300,
      },
      {
        metric: 'Accepted, stored and backed up at 300 per second, p99 of the answers',
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

/** From `POST /run` to the last backup, beside the time of each stage alone. */
async function endToEnd(stage: Stage, context: BenchContext): Promise<BenchRow[]> {
  const count = Math.round(10_000 * context.scale);
  const simulator = await startSimulator({ profileDurationMs: { min: 0, max: 0 }, maxConcurrentProfiles: 1_000_000 });
  const [apiPort, webhookPort] = [await freePort(), await freePort()];
  const address = (port: number) => `http://127.0.0.1:${port}`;
  await stage.sql.query(
    'truncate warehouse.person_fields, warehouse.person_identifiers, warehouse.scraped_profile_calls',
  );
  await addPeople(stage.sql, count);
  const processes: BenchProcess[] = [];
  try {
    processes.push(await stage.start('priority-webhook', {}, webhookPort));
    processes.push(
      await stage.start(
        'priority-api',
        {
          PROVIDER_BASE_URL: simulator.url,
          PROFILE_WEBHOOK_URL: `${address(webhookPort)}/webhook/network`,
          PRIORITY_WEBHOOK_URL: address(webhookPort),
        },
        apiPort,
      ),
    );
    const coordinator = await stage.start('coordinator', {
      PUSH_ENDPOINT: `${address(apiPort)}/batch-trigger/`,
      PRIORITY_API_URL: address(apiPort),
      PRIORITY_WEBHOOK_URL: address(webhookPort),
    });
    processes.push(coordinator);
    await stage.sql.query('checkpoint');
    const startedMs = performance.now();
    const runId = await runToEnd(coordinator, { month: '2026-04' });
    await untilStored(stage.sql, count, '2026-04');
    const wholeSeconds = (performance.now() - startedMs) / 1000;
    const stages = await stageSeconds(stage.sql, runId);
    const slowest = Math.max(...Object.values(stages));
    context.log(
      `end to end: ${wholeSeconds.toFixed(1)} s; ${Object.entries(stages)
        .map(([name, seconds]) => `${name} ${seconds.toFixed(1)} s`)
        .join(', ')}`,
    );
    return [
      {
        metric: `${count} profiles from POST /run to the last backup, beside the slowest stage of the same run`,
        unit: 's',
        ours: wholeSeconds,
        peer: slowest,
        ratio: wholeSeconds / slowest,
        limit: 'ratio <= 1.5',
        pass: wholeSeconds / slowest <= 1.5,
      },
    ];
  } finally {
    for (const process of processes.toReversed()) await process.stop();
    await simulator.close();
  }
}

/** From the first to the last profile of each stage. */
async function stageSeconds(sql: pg.Pool, runId: string): Promise<Record<string, number>> {
  const span = async (query: string, parameters: unknown[]) => {
    const { rows } = await sql.query<{ seconds: number }>(
      `select extract(epoch from max(t) - min(f))::float8 as seconds from (${query}) spans(f, t)`,
      parameters,
    );
    return rows[0]!.seconds;
  };
  return {
    selecting: await span('select created_at, selected_at from coordinator.run where run_id = $1', [runId]),
    publishing: await span('select selected_at, finished_at from coordinator.run where run_id = $1', [runId]),
    starting: await span(`select created_at, started_at from priority_api.profile_call where month = '2026-04'`, []),
    // Asked right after the last one was stored and backed up, which no column tells.
    storing: await span(
      `select received_at, clock_timestamp() from priority_webhook.delivery where month = '2026-04'`,
      [],
    ),
  };
}

async function addPeople(sql: pg.Pool, count: number): Promise<void> {
  await sql.query(
    `insert into warehouse.person_fields (row_id, person_id, "isPriority", ingested_at)
     select 'f' || n, md5(n::text)::uuid, true, now() from generate_series(1, $1::int) n`,
    [count],
  );
  await sql.query(
    `insert into warehouse.person_identifiers (row_id, person_id, "identifierType", "identifierValue", ingested_at)
     select 'i' || n, md5(n::text)::uuid, 'NETWORK', 'bench-person-' || n, now() from generate_series(1, $1::int) n`,
    [count],
  );
  await sql.query('vacuum analyze warehouse.person_fields, warehouse.person_identifiers');
}

async function runToEnd(coordinator: BenchProcess, body: { month: string }): Promise<string> {
  const started = await fetch(`${coordinator.url}/run`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const { run_id: runId } = (await started.json()) as { run_id: string };
  if (started.status !== 202) throw new Error(`POST /run answered ${started.status}`);
  for (let polls = 0; polls < 12_000; polls++) {
    const run = (await (await fetch(`${coordinator.url}/runs/${runId}`)).json()) as { status: string };
    if (run.status === 'completed') return runId;
    await delay(50);
  }
  throw new Error('the run did not end in ten minutes');
}

async function untilStored(sql: pg.Pool, count: number, month?: string): Promise<void> {
  for (let polls = 0; polls < 6_000; polls++) {
    const { rows } = await sql.query<{ n: number }>(
      `select count(*)::int as n from priority_webhook.delivery d
       where ($1::text is null or month = $1) and not exists (select from priority_webhook.open_delivery o where o.id = d.id)`,
      [month ?? null],
    );
    if (rows[0]!.n >= count) return;
    await delay(100);
  }
  throw new Error(`${count} profiles were not stored in ten minutes`);
}

function webhookBody(n: number): string {
  return JSON.stringify({
    url: `https://www.linkedin.com/in/bench-${n}`,
    data: { profile: { name: `Person ${n}`, headline: 'Head of Data at Example Corp', location: 'Berlin, Germany' } },
  });
}

function expectOnly200(...all: Record<number, number>[]): void {
  for (const statuses of all) {
    if (Object.keys(statuses).join() !== '200') throw new Error(`answers other than 200: ${JSON.stringify(statuses)}`);
  }
}
