// The targets of the monthly priority pipeline: publishing two hundred thousand people, accepting profile webhooks
// durably, ten thousand profiles from end to end, idle memory.
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { startSimulator } from '@tradewind/provider-simulator';
import { freePort } from '@tradewind/testkit';
import type pg from 'pg';
import { PgBoss } from 'pg-boss';
import type { Bench, BenchRow } from './bench.types.js';
import type { BenchProcess } from './bench-process.js';
import {
  belowRow,
  besideRow,
  growthOf,
  idleMemoryRow,
  onStage,
  type Pair,
  postJson,
  ratioBelowRow,
  type Stage,
  until,
  webhookRows,
} from './stage.js';

type Service = 'coordinator' | 'priority-api' | 'priority-webhook';

const token = 'bench-service-token';
const topic = 'network-scraping-batches';

/** Each can be measured alone: `npm run bench -- priority-pipeline --part webhooks`. */
const parts: Record<string, (stage: Stage) => Promise<BenchRow[]>> = {
  idle: idleMemory,
  publishing,
  webhooks,
  'end-to-end': endToEnd,
};

export const bench: Bench = {
  name: 'priority-pipeline',
  async run(context) {
    const names = context.parts ?? Object.keys(parts);
    const unknown = names.filter((name) => !(name in parts));
    if (unknown.length > 0) {
      throw new Error(`No part named ${unknown.join(', ')}. There are: ${Object.keys(parts).join(', ')}`);
    }
    return onStage(context, async (stage) => {
      const rows: BenchRow[] = [];
      for (const name of names) rows.push(...(await parts[name]!(stage)));
      return rows;
    });
  },
};

function start(stage: Stage, service: Service, settings: Record<string, string> = {}): Promise<BenchProcess> {
  return stage.start(new URL(`../../../apps/${service}/dist/main.js`, import.meta.url), {
    QUEUE_DATABASE_URL: stage.databaseUrl,
    OBJECT_STORE_DIR: join(stage.folder, 'objects'),
    SERVICE_TOKEN: token,
    SERVICE_TOKENS: `bench:${createHash('sha256').update(token).digest('hex')}:priority-api+priority-webhook`,
    ...settings,
  });
}

async function idleMemory(stage: Stage): Promise<BenchRow[]> {
  // The coordinator as it idles on the embedded queue: with the dispatcher of pushes.
  const push = { PUSH_ENDPOINT: 'http://127.0.0.1:9/batch-trigger/' };
  return [
    await idleMemoryRow(' of coordinator', await start(stage, 'coordinator', push), 160),
    await idleMemoryRow(' of priority-api', await start(stage, 'priority-api'), 160),
    await idleMemoryRow(' of priority-webhook', await start(stage, 'priority-webhook'), 160),
  ];
}

/** The same batches, published by the coordinator and by the queue's own client in calls of the same size. */
async function publishing(stage: Stage): Promise<BenchRow[]> {
  const { sql, databaseUrl } = stage;
  const people = Math.round(200_000 * stage.scale);
  const coordinator = await start(stage, 'coordinator');
  const boss = new PgBoss({
    connectionString: databaseUrl,
    schema: 'queue',
    supervise: false,
    schedule: false,
    max: 3,
  });
  // Nothing here depends on what happens in its background.
  boss.on('error', () => undefined);
  await boss.start();
  const publishing: Pair[] = [];
  const whole: Pair[] = [];
  const growths: number[] = [];
  try {
    await addPeople(sql, people);
    for (let round = 0; round < 3; round++) {
      await sql.query('checkpoint');
      let runId = '';
      growths.push(
        await growthOf(coordinator, async () => {
          runId = await runToEnd(coordinator, `2026-0${round + 1}`);
        }),
      );
      const { rows } = await sql.query<{ publish: number; whole: number }>(
        `select extract(epoch from finished_at - selected_at)::float8 as publish, extract(epoch from finished_at - created_at)::float8 as whole
         from coordinator.run where run_id = $1 and published_profiles = $2`,
        [runId, people],
      );
      const batches = await sql.query<{ message: string }>(
        'select message from coordinator.run_batch where run_id = $1 order by batch_number',
        [runId],
      );
      await sql.query('checkpoint');
      const messages = batches.rows.map(({ message }, index) => ({
        data: {
          data: message,
          attributes: { batch_number: String(index + 1), total_batches: String(batches.rows.length) },
        },
      }));
      const startedMs = performance.now();
      for (let at = 0; at < messages.length; at += 20) await boss.insert(topic, messages.slice(at, at + 20));
      const peer = (people * 1000) / (performance.now() - startedMs);
      publishing.push({ ours: people / rows[0]!.publish, peer });
      whole.push({ ours: people / rows[0]!.whole, peer });
      stage.log(`publishing: ${publishing.at(-1)!.ours.toFixed(0)} people/s, queue client ${peer.toFixed(0)}/s`);
      await sql.query('delete from queue.job where name = $1', [topic]);
    }
  } finally {
    await boss.stop({ graceful: false });
    await coordinator.stop();
    await sql.query('truncate warehouse.person_fields, warehouse.person_identifiers');
  }
  const metric = `${people} people published, beside pg-boss inserting the same batches 20 at a time`;
  return [
    besideRow(metric, 'people/s', publishing, 0.7),
    besideRow('The same with reading, de-duplicating and numbering them before', 'people/s', whole),
    // The first run loads what every run needs.
    belowRow('Growth of the coordinator meanwhile', 'MiB', Math.max(...growths.slice(1)), 60),
  ];
}

async function webhooks(stage: Stage): Promise<BenchRow[]> {
  const perRound = Math.round(5_000 * stage.scale);
  const service = await start(stage, 'priority-webhook');
  const profile = { name: 'Person', headline: 'Head of Data at Example Corp', location: 'Berlin, Germany' };
  const { rows, settledPerSecond } = await webhookRows(stage, {
    metric: 'Webhooks accepted durably while earlier ones are stored and backed up',
    perRound,
    ours: {
      base: service.url,
      path: '/webhook/network',
      headers: { 'x-webhook-secret': 'dev-only-profile-webhook-secret' },
      body: (n) => JSON.stringify({ url: `https://www.linkedin.com/in/bench-${n}`, data: { profile } }),
    },
    settle: (count) => untilStored(stage.sql, count),
  });
  await service.stop();
  return [
    ...rows,
    {
      metric: `The same ${perRound} until the last one is stored and backed up as well`,
      unit: '1/s',
      ours: settledPerSecond,
      limit: '>= 300',
      pass: settledPerSecond >= 300,
    },
  ];
}

/** From `POST /run` to the last backup, beside the time of each stage alone. */
async function endToEnd(stage: Stage): Promise<BenchRow[]> {
  const count = Math.round(10_000 * stage.scale);
  const simulator = await startSimulator({ profileDurationMs: { min: 0, max: 0 }, maxConcurrentProfiles: 1_000_000 });
  const [apiPort, webhookPort] = [await freePort(), await freePort()];
  const [apiUrl, webhookUrl] = [`http://127.0.0.1:${apiPort}`, `http://127.0.0.1:${webhookPort}`];
  const stop: BenchProcess[] = [];
  try {
    stop.unshift(await start(stage, 'priority-webhook', { PORT: String(webhookPort) }));
    stop.unshift(
      await start(stage, 'priority-api', {
        PORT: String(apiPort),
        PROVIDER_BASE_URL: simulator.url,
        PROFILE_WEBHOOK_URL: `${webhookUrl}/webhook/network`,
        PRIORITY_WEBHOOK_URL: webhookUrl,
      }),
    );
    const coordinator = await start(stage, 'coordinator', {
      PUSH_ENDPOINT: `${apiUrl}/batch-trigger/`,
      PRIORITY_API_URL: apiUrl,
      PRIORITY_WEBHOOK_URL: webhookUrl,
    });
    stop.unshift(coordinator);
    await stage.sql.query(
      'truncate warehouse.person_fields, warehouse.person_identifiers, warehouse.scraped_profile_calls',
    );
    await addPeople(stage.sql, count);
    await stage.sql.query('checkpoint');
    const startedMs = performance.now();
    const runId = await runToEnd(coordinator, '2026-04');
    await untilStored(stage.sql, count, '2026-04');
    const wholeSeconds = (performance.now() - startedMs) / 1000;
    const stages = await stageSeconds(stage.sql, runId);
    stage.log(`end to end: ${wholeSeconds.toFixed(1)} s; seconds of each stage: ${JSON.stringify(stages)}`);
    const pair = { ours: wholeSeconds, peer: Math.max(...Object.values(stages)) };
    const metric = `${count} profiles from POST /run to the last backup, beside the slowest stage of the same run`;
    return [ratioBelowRow(metric, 's', pair, 1.5)];
  } finally {
    for (const one of stop) await one.stop();
    await simulator.close();
  }
}

/** From the first to the last profile of each stage. */
async function stageSeconds(sql: pg.Pool, runId: string): Promise<Record<string, number>> {
  // The time is taken right after the last profile was backed up, which no column shows.
  const { rows } = await sql.query<Record<string, number>>(
    `select extract(epoch from selected_at - created_at)::float8 as selecting,
            extract(epoch from finished_at - selected_at)::float8 as publishing,
            (select extract(epoch from max(started_at) - min(created_at))::float8
               from priority_api.profile_call where month = '2026-04') as starting,
            (select extract(epoch from clock_timestamp() - min(received_at))::float8
               from priority_webhook.delivery where month = '2026-04') as storing
     from coordinator.run where run_id = $1`,
    [runId],
  );
  return rows[0]!;
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

async function runToEnd(coordinator: BenchProcess, month: string): Promise<string> {
  const { run_id: runId } = (await postJson(`${coordinator.url}/run`, { month })) as { run_id: string };
  await until('the run completed', async () => {
    const run = (await (await fetch(`${coordinator.url}/runs/${runId}`)).json()) as { status: string };
    return run.status === 'completed';
  });
  return runId;
}

async function untilStored(sql: pg.Pool, count: number, month?: string): Promise<void> {
  await until(`${count} profiles stored`, async () => {
    const { rows } = await sql.query<{ n: number }>(
      `select count(*)::int as n from priority_webhook.delivery d
       where ($1::text is null or month = $1) and not exists (select from priority_webhook.open_delivery o where o.id = d.id)`,
      [month ?? null],
    );
    return rows[0]!.n >= count;
  });
}
