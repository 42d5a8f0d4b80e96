import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { InteractionsWorld, person } from './interactions-app.js';

const path = '/scraper/network/webhook';
const secret = { 'x-webhook-secret': 'new-secret' };

describe('POST /scraper/network/webhook', () => {
  let world: InteractionsWorld;
  beforeAll(async () => {
    world = await InteractionsWorld.start({
      settings: { WEBHOOK_SECRETS: 'new-secret, old-secret', FOLLOW_INTERVAL_MS: '60000' },
    });
  });
  afterAll(() => world.stop());

  const bodyOf = (runId: string, eventType = 'ACTOR.RUN.SUCCEEDED') => ({
    userId: 'u',
    createdAt: new Date().toISOString(),
    eventType,
    eventData: { actorId: 'a', actorRunId: runId },
    resource: { id: runId, status: 'SUCCEEDED' },
  });

  async function completedRun(handle: string) {
    await world.post('/scraper/network/interactions', { user_company_id: 'acme', targets: [person(handle)] });
    const rows = await world.finished();
    return rows.find((row) => row.networkUsername === handle)!;
  }

  it.each([
    ['no secret', {}],
    ['a wrong secret', { 'x-webhook-secret': 'new-secre' }],
    ['an empty secret', { 'x-webhook-secret': '' }],
    ['both secrets as one', { 'x-webhook-secret': 'new-secret,old-secret' }],
  ])('is refused with %s', async (_name, headers) => {
    expect(await world.post(path, bodyOf('x'), headers)).toMatchObject({
      status: 401,
      body: { error: 'Unauthorized', statusCode: 401 },
    });
  });

  it('a run that is not ours is 404, and nothing is stored', async () => {
    expect((await world.post(path, bodyOf('unknownRun1234567'), secret)).status).toBe(404);
    const unknownJob = { ...secret, 'x-correlation-id': '00000000-0000-4000-8000-000000000000' };
    expect((await world.post(path, bodyOf('unknownRun1234567'), unknownJob)).status).toBe(404);
    const { rowCount } = await world.sql.query(
      `select 1 from "webhook_inboxDev" where provider_run_id like 'unknown%'`,
    );
    expect(rowCount).toBe(0);
  });

  it('a bad webhook among many at the same moment harms no other', async () => {
    const { provider_run_id: runId } = await completedRun('many-at-once');
    const deep = `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`;
    const bodies = Array.from({ length: 30 }, (_, index) => JSON.stringify(bodyOf(runId!, `EVENT.${index}`)));
    const bad: [string, number][] = [
      [`{"eventType":"DEEP","resource":{"id":"${runId}","more":${deep}}}`, 400],
      [`{"eventType":"NUL","resource":{"id":"${runId}"},"text":"a\\u0000b"}`, 200],
      [`{"eventType":"HALF","resource":{"id":"${runId}"},"text":"\\ud83d"}`, 200],
      [`{"eventType":"LARGE","resource":{"id":"${runId}"},"n":[1e999,${'9'.repeat(400)}]}`, 200],
      [`{"eventType":"EV\\u0000ENT","resource":{"id":"${runId}"}}`, 400],
      [`{"eventType":"DATE","createdAt":"+999999-99-99","resource":{"id":"${runId}"}}`, 200],
    ];
    bad.forEach(([text], index) => bodies.splice(5 * index + 3, 0, text));
    const answers = await Promise.all(bodies.map((text) => world.post(path, text, secret)));
    const expected = new Map(bad);
    expect(answers.map(({ status }) => status)).toEqual(bodies.map((text) => expected.get(text) ?? 200));
    await world.inboxProcessed();
  });

  it.each([
    ['no run', { eventType: 'ACTOR.RUN.SUCCEEDED' }],
    ['no event', { resource: { id: 'x' } }],
    ['a run id that is no text', { eventType: 'E', resource: { id: 7 } }],
    ['a NUL in the run id', { eventType: 'E', resource: { id: 'a\u0000' } }],
    ['nothing', {}],
  ])('a body with %s is refused', async (_name, body) => {
    expect((await world.post(path, body, secret)).status).toBe(400);
  });

  it('completes a job without polling, with the newer and with the older secret', async () => {
    const row = await completedRun('by-webhook');
    expect(row.status).toBe('COMPLETED');
    const looks = world.simulator.ledger({ operation: 'run.get', id: row.provider_run_id! });
    // One, and repeats by the client when a slow machine does not answer in time.
    expect(looks.length).toBeLessThanOrEqual(3);
    expect((await world.post(path, bodyOf(row.provider_run_id!), { 'x-webhook-secret': 'old-secret' })).status).toBe(
      200,
    );
  });

  it('a repeat is 200 and changes nothing, in tracker, warehouse and at the provider', async () => {
    const before = await completedRun('repeated');
    const counts = await world.warehouseCounts(before.provider_run_id!);
    const seq = world.simulator.ledger().length;
    for (const eventType of ['ACTOR.RUN.SUCCEEDED', 'ACTOR.RUN.SUCCEEDED', 'ACTOR.RUN.FAILED', 'ACTOR.RUN.ABORTED']) {
      expect((await world.post(path, bodyOf(before.provider_run_id!, eventType), secret)).status).toBe(200);
    }
    await world.inboxProcessed();
    expect((await world.tracker()).find((row) => row.job_id === before.job_id)).toEqual(before);
    expect(await world.warehouseCounts(before.provider_run_id!)).toEqual(counts);
    expect(world.simulator.ledger()).toHaveLength(seq);
  });

  it('a webhook that reports SUCCEEDED too early completes nothing, because the provider is asked for the status', async () => {
    world.simulator.setFaults([{ on: 'run', kind: 'slow', target: 'too-early', delayMs: 3_000 }]);
    const { body } = await world.post('/scraper/network/interactions', {
      user_company_id: 'acme',
      targets: [person('too-early')],
    });
    const runId = (body as { results: { run_id: string }[] }).results[0]!.run_id;
    expect((await world.post(path, bodyOf(runId, 'ACTOR.RUN.FAILED'), secret)).status).toBe(200);
    await world.inboxProcessed();
    await world.until(() => world.simulator.ledger({ operation: 'run.get', id: runId, outcome: 'ok' }).length > 0);
    const row = (await world.tracker()).find((found) => found.provider_run_id === runId)!;
    expect(['PENDING', 'RUNNING']).toContain(row.status);
    expect(row).toMatchObject({ completed_date: null, posts_count: null });
    const ended = await world.finished();
    expect(ended.find((row) => row.provider_run_id === runId)!.status).toBe('COMPLETED');
  });

  it('a webhook that overtakes the answer to the start still completes the job', async () => {
    world.simulator.setFaults([
      { on: 'run.webhook', kind: 'before_answer', target: 'overtaken' },
      { on: 'run.start', kind: 'timeout_after', target: 'overtaken' },
    ]);
    const row = await completedRun('overtaken');
    expect(row.status).toBe('COMPLETED');
    expect(world.simulator.ledger({ operation: 'run.start', target: 'overtaken' })).toHaveLength(1);
  });

  it('repeated items count once; broken items, and those of unknown type or without an id, are kept as left-overs', async () => {
    world.simulator.setFaults([{ on: 'dataset', kind: 'broken_item', target: 'odd' }]);
    const row = await completedRun('odd');
    const expected = world.simulator.itemCounts(row.provider_run_id!)!;
    expect(expected.broken).toBe(4);
    expect(row).toMatchObject({
      posts_count: expected.posts,
      comments_count: expected.comments,
      reactions_count: expected.reactions,
      left_over_count: expected.withoutId + expected.unknownType + expected.broken,
    });
    const { rows } = await world.sql.query<{ reason: string; n: number }>(
      `select reason, count(*)::int as n from "left_over_itemsDev" where provider_run_id = $1 group by 1 order by 1`,
      [row.provider_run_id],
    );
    expect(Object.fromEntries(rows.map(({ reason, n }) => [reason, n]))).toMatchObject({
      not_an_object: 2,
      without_id: expected.withoutId + 2,
    });
  });

  it('a run that found nothing completes with zero counts', async () => {
    world.simulator.setFaults([{ on: 'run', kind: 'empty', target: 'silent' }]);
    expect(await completedRun('silent')).toMatchObject({
      status: 'COMPLETED',
      posts_count: 0,
      comments_count: 0,
      reactions_count: 0,
      left_over_count: 0,
    });
  });
});
