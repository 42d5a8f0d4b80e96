// The targets of the interactions service: webhooks accepted durably, a large run stored in bounded memory, a thousand
// starts within the provider's slots, idle memory.
import { setTimeout as delay } from 'node:timers/promises';
import { startSimulator } from '@tradewind/provider-simulator';
import type pg from 'pg';
import type { Bench, BenchRow } from './bench.types.js';
import type { BenchProcess } from './bench-process.js';
import { startDatasetProvider } from './interactions-provider.js';
import {
  belowRow,
  besideRow,
  growthOf,
  idleMemoryRow,
  onStage,
  postJson,
  ratioBelowRow,
  type Stage,
  until,
  webhookRows,
} from './stage.js';

const serviceMain = new URL('../../../apps/interactions/dist/main.js', import.meta.url);
const tracker = 'interactions."network_interactions_trackerDev"';

export const bench: Bench = {
  name: 'interactions',
  run: (context) =>
    onStage(context, async (stage) => [
      await idleMemoryRow('', await start(stage), 160),
      ...(await webhooks(stage)),
      ...(await largeRun(stage)),
      await manyStarts(stage),
    ]),
};

function start(stage: Stage, settings: Record<string, string> = {}): Promise<BenchProcess> {
  return stage.start(serviceMain, (url) => ({ WEBHOOK_BASE_URL: url, ...settings }));
}

/** Webhooks of runs that are known and have ended: the whole way in, and hardly any work after it. */
async function webhooks(stage: Stage): Promise<BenchRow[]> {
  const perRound = Math.round(4_000 * stage.scale);
  const runs = 6 * perRound + Math.round(300 * 20 * stage.scale);
  const runId = (n: number) => `bench${String(n).padStart(12, '0')}`;
  const service = await start(stage);
  await stage.sql.query(
    `insert into ${tracker} (job_id, "networkUsername", "entityType", status, user_company_id, provider_run_id,
       posts_count, reactions_count, comments_count, completed_date, target_key, input, stage)
     select gen_random_uuid(), run_id, 'PERSON', 'COMPLETED', 'bench', run_id, 0, 0, 0, now(), run_id, '{}', 'done'
     from unnest($1::text[]) as run_id`,
    [Array.from({ length: runs }, (_, n) => runId(n))],
  );
  await stage.sql.query(`vacuum analyze ${tracker}`);
  const body = (n: number) =>
    JSON.stringify({
      userId: 'bench',
      createdAt: '2026-11-21T07:00:00.000Z',
      eventType: 'ACTOR.RUN.SUCCEEDED',
      eventData: { actorId: 'actor', actorRunId: runId(n) },
      resource: {
        id: runId(n),
        actId: 'actor',
        status: 'SUCCEEDED',
        defaultDatasetId: 'd',
        defaultKeyValueStoreId: 's',
      },
    });
  const headers = { 'x-webhook-secret': 'dev-only-webhook-secret' };
  const ours = { base: service.url, path: '/scraper/network/webhook', headers, body };
  const { rows } = await webhookRows(stage, { metric: 'Webhooks accepted durably', perRound, ours });
  await service.stop();
  return rows;
}

const tables = ['network_posts', 'network_post_comments', 'network_post_reactions'] as const;

async function largeRun(stage: Stage): Promise<BenchRow[]> {
  const items = Math.round(100_000 * stage.scale);
  const provider = await startDatasetProvider(items);
  const service = await start(stage, { PROVIDER_BASE_URL: provider.url, FOLLOW_INTERVAL_MS: '100' });
  const pairs: { ours: number; peer: number }[] = [];
  const growths: number[] = [];
  try {
    // A small run first: what is loaded and compiled once is not what grows with a run.
    provider.serve(Math.round(items / 20));
    await storeRun(stage, service, 'bench-warm-up');
    provider.serve(items);
    for (let round = 0; round < 3; round++) {
      await stage.sql.query(`truncate ${tables.map((table) => `warehouse.${table}`).join()}`);
      const startedMs = performance.now();
      growths.push(await growthOf(service, () => storeRun(stage, service, `bench-${round}`)));
      const ours = (items * 1000) / (performance.now() - startedMs);
      pairs.push({ ours, peer: items / (await plainInserts(stage.sql, items)) });
      stage.log(`${items} items: ${ours.toFixed(0)}/s, plain ${pairs.at(-1)!.peer.toFixed(0)}/s`);
    }
  } finally {
    await service.stop();
    await provider.close();
  }
  const metric = `A run of ${items} items, trigger to COMPLETED, beside a plain batched INSERT of the same rows`;
  return [
    besideRow(metric, 'items/s', pairs, 0.5),
    belowRow('Growth of memory meanwhile, the worst of three', 'MiB', Math.max(...growths), 100),
  ];
}

function trigger(service: BenchProcess, handles: readonly string[]): Promise<unknown> {
  const targets = handles.map((handle) => ({ network_handle: handle, entity: 'PERSON' }));
  return postJson(`${service.url}/scraper/network/interactions`, { user_company_id: 'bench', targets });
}

/** Triggers a run of everything the provider has, and waits until it is stored. */
async function storeRun({ sql }: Stage, service: BenchProcess, handle: string): Promise<void> {
  await trigger(service, [handle]);
  const query = `select status from ${tracker} where "networkUsername" = $1`;
  await until('the run completed', async () => {
    const status = (await sql.query<{ status: string }>(query, [handle])).rows[0]?.status;
    if (status === 'FAILED') throw new Error('the run failed');
    return status === 'COMPLETED';
  });
}

/** The very rows that were just stored, in batches of 500, into tables with the same columns and indexes; seconds. */
async function plainInserts(sql: pg.Pool, expected: number): Promise<number> {
  let seconds = 0;
  let count = 0;
  for (const table of tables) {
    await sql.query(`drop table if exists peer_${table}`);
    await sql.query(`create table peer_${table} (like warehouse.${table} including all)`);
    const { rows } = await sql.query<{ row: object }>(`select to_jsonb(t) as row from warehouse.${table} t`);
    count += rows.length;
    const startedMs = performance.now();
    for (let from = 0; from < rows.length; from += 500) {
      const batch = rows.slice(from, from + 500).map(({ row }) => row);
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
async function manyStarts(stage: Stage): Promise<BenchRow> {
  const targets = Math.max(200, Math.round((1_000 * stage.scale) / 100) * 100);
  const slots = 100;
  const runSeconds = 2;
  const runMs = runSeconds * 1000;
  const simulator = await startSimulator({ runDurationMs: { min: runMs, max: runMs }, maxConcurrentRuns: slots });
  const service = await start(stage, { PROVIDER_BASE_URL: simulator.url, PROVIDER_SLOTS: String(slots) });
  try {
    const startedAt = Date.now();
    await Promise.all(
      Array.from({ length: targets / 100 }, (_, request) =>
        trigger(
          service,
          Array.from({ length: 100 }, (__, n) => `start-${request}-${n}`),
        ),
      ),
    );
    const starts = () => simulator.ledger({ operation: 'run.start', effect: true });
    await until('all runs started', async () => starts().length >= targets);
    // A run that was started twice would be visible by now.
    await delay(runMs);
    if (starts().length !== targets) throw new Error(`${starts().length} runs were started of ${targets}`);
    const ours = (Math.max(...starts().map((one) => Date.parse(one.at))) - startedAt) / 1000;
    const metric = `${targets} targets in requests of 100, ${slots} slots, runs of ${runSeconds} s: time to the last start, beside the optimum`;
    return ratioBelowRow(metric, 's', { ours, peer: (Math.ceil(targets / slots) - 1) * runSeconds }, 1.3);
  } finally {
    await service.stop();
    await simulator.close();
  }
}
