// A month from the selection to the backup, while the stores fail and every service is killed at random.
// PIPELINE_TEST_PROFILES sets the number of profiles; 10000 is the figure the platform promises. From 5000 on every
// process dies twice, the kills are spread over the month, and a line of figures is printed.
import { describe, expect, it, jest } from '@jest/globals';
import { monthOf, profileBackupBucket } from '@tradewind/shared-types';
import { startPipeline, type Pipeline, type Report } from './pipeline.js';

const count = Number(process.env['PIPELINE_TEST_PROFILES'] ?? 300);
const seed = process.env['PIPELINE_TEST_SEED'] ?? '1';
const isFullSize = count >= 5_000;
/** Longest wait between two kills, milliseconds: at full size the kills reach into the second half of the month. */
const killIntervalMsMax = isFullSize ? 6_000 : 1_200;
const timeLimitMs = 150_000 + count * 100;
jest.setTimeout(timeLimitMs + 60_000);

const month = monthOf(new Date());
const failing = ['fails-one', 'fails-two'];

describe.each([1, 2])('a whole month, replicas of each service: %d', (replicas) => {
  it('starts and stores each profile once, or reports it as missing with a reason', async () => {
    const pipeline = await startPipeline({
      replicas,
      simulator: { seed, webhookRetryDelaysMs: [100, 200, 400, 800, 1_000, 1_000, 1_000, 2_000] },
    });
    try {
      await run(pipeline);
    } finally {
      await pipeline.close();
    }
  });
});

async function run(pipeline: Pipeline): Promise<void> {
  const usernames = [...Array.from({ length: count - failing.length }, (_, index) => `person-${index}`), ...failing];
  await pipeline.addPeople(usernames);
  pipeline.simulator.setFaults([
    { on: 'profile', kind: 'fail', target: failing },
    { on: 'profile.start', kind: 'rate_limited', probability: 0.04 },
    { on: 'profile.start', kind: 'error_before', probability: 0.03 },
    { on: 'profile.start', kind: 'error_after', probability: 0.03 },
    { on: 'profile.start', kind: 'reset_after', probability: 0.02 },
    { on: 'profile.list', kind: 'error_before', probability: 0.05 },
    { on: 'profile.webhook', kind: 'twice', probability: 0.2 },
    { on: 'profile.webhook', kind: 'late', delayMs: 1_500, probability: 0.1 },
    { on: 'profile.webhook', kind: 'out_of_order', delayMs: 500, probability: 0.1 },
    { on: 'profile.webhook', kind: 'never', probability: 0.05 },
  ]);
  const startedMs = Date.now();
  expect((await pipeline.request('POST', '/run')).status).toBe(202);
  const chaos = Promise.all([killAtRandom(pipeline), failForAWhile(pipeline)]);
  let report: Report | undefined;
  const deadline = Date.now() + timeLimitMs;
  do {
    await sleep(500);
    const answer = await pipeline.request<Report>('GET', `/months/${month}/report`);
    if (answer.status === 200) report = answer.body;
    // The failing profiles are missing from the beginning, so their webhooks may still be on their way.
  } while (Date.now() < deadline && !(report?.received === count && report.missing === failing.length));
  const seconds = (Date.now() - startedMs) / 1000;
  const [kills] = await chaos;

  expect(report).toMatchObject({
    selected: count,
    published: count,
    started: count,
    received: count,
    failed: 2,
    missing: 2,
  });
  expect(
    report!.missing_profiles.map(({ network_username, reason }) => `${network_username}: ${reason}`).sort(),
  ).toEqual(failing.map((name) => `${name}: the provider failed: profile_not_found`).sort());
  await pipeline.simulator.settled(30_000).catch(() => undefined);
  const starts = tally(
    pipeline.simulator.ledger({ operation: 'profile.start', effect: true }).map(({ target }) => target!),
  );
  expect(differing(starts, usernames)).toEqual({});
  expect(pipeline.simulator.summary().profiles.startedTwice).toEqual([]);
  const { rows } = await pipeline.db.query<{ name: string }>(
    'select "requestResource" as name from warehouse.scraped_profile_calls',
  );
  expect(differing(tally(rows.map(({ name }) => name)), usernames)).toEqual({});
  const objects: string[] = [];
  for await (const name of pipeline.objects.list(profileBackupBucket, '')) objects.push(name);
  expect(differing(tally(objects.map((name) => name.replace(/_\d{14}\.json$/, ''))), usernames)).toEqual({});
  if (isFullSize) printFigures(pipeline, { seconds, kills });
}

/** The figures for docs/benchmarks. */
function printFigures(
  { simulator, processes }: Pipeline,
  { seconds, kills }: { seconds: number; kills: number },
): void {
  const faults = tally(
    simulator.ledger().flatMap(({ operation, faults = [] }) => faults.map((fault) => `${operation} ${fault}`)),
  );
  const figures = {
    profiles: count,
    replicas: processes.length / 3,
    seconds,
    kills,
    faults: Object.fromEntries(faults),
  };
  process.stdout.write(`${JSON.stringify(figures)}\n`);
}

/** Kills and restarts every service at random moments, once in the short run. Answers the number of kills. */
async function killAtRandom({ processes }: Pipeline): Promise<number> {
  const random = generator(Number(seed));
  const perService = processes.length / 3;
  const killsOfService = isFullSize ? 2 * perService : 1;
  const victims = (['coordinator', 'priority-api', 'priority-webhook'] as const)
    .flatMap((service) => {
      const replicas = processes.filter((process) => process.service === service);
      return Array.from({ length: killsOfService }, (_, index) => replicas[index % perService]!);
    })
    .sort(() => random() - 0.5);
  for (const victim of victims) {
    await sleep(300 + random() * (killIntervalMsMax - 300));
    await victim.kill();
    await sleep(random() * 500);
    await victim.start();
  }
  return victims.length;
}

/** First the warehouse, then the object store refuses everything for a while. */
async function failForAWhile(pipeline: Pipeline): Promise<void> {
  await sleep(500);
  // The table is not dropped, because a service that starts meanwhile would create it again.
  await pipeline.db.query(`create function warehouse.refuse() returns trigger language plpgsql as
    $$ begin raise exception 'the warehouse refuses everything'; end $$`);
  await pipeline.db.query(`create trigger refuse before insert on warehouse.scraped_profile_calls
    for each statement execute function warehouse.refuse()`);
  await sleep(2_500);
  await pipeline.db.query('drop function warehouse.refuse cascade');
  await pipeline.breakObjectStore(true);
  await sleep(2_500);
  await pipeline.breakObjectStore(false);
}

function tally(names: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

/** Names that do not occur exactly once, and names that nobody asked for. */
function differing(counts: Map<string, number>, expected: readonly string[]): Record<string, number> {
  const wrong: Record<string, number> = {};
  for (const name of expected) if (counts.get(name) !== 1) wrong[name] = counts.get(name) ?? 0;
  const known = new Set(expected);
  for (const [name, times] of counts) if (!known.has(name)) wrong[name] = times;
  return wrong;
}

/** Mulberry32: the same sequence for the same seed. */
function generator(start: number): () => number {
  let state = start;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let value = Math.imul(state ^ (state >>> 15), 1 | state);
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value;
    return ((value ^ (value >>> 14)) >>> 0) / 4_294_967_296;
  };
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
