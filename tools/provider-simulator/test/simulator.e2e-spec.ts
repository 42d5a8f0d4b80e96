import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { ApifyApiError, ApifyClient } from 'apify-client';
import { startSimulator, type Fault, type LedgerPage, type Simulator } from '../src/index.js';
import { startWebhookReceiver } from './webhook-receiver.js';

const actor = 'harvestapi~linkedin-profile-posts';
const input = (handle = 'ada-lovelace') => ({
  targetUrls: [`https://www.linkedin.com/in/${handle}/`],
  maxPosts: 5,
  scrapeReactions: true,
  maxReactions: 5,
  scrapeComments: true,
  maxComments: 5,
});

let simulator: Simulator;
let receiver: Awaited<ReturnType<typeof startWebhookReceiver>>;
let client: ApifyClient;

beforeAll(async () => {
  simulator = await startSimulator({
    runDurationMs: { min: 20, max: 40 },
    profileDurationMs: { min: 1, max: 5 },
    abortDurationMs: 20,
    webhookRetryDelaysMs: [10, 20, 30],
  });
  receiver = await startWebhookReceiver();
  client = new ApifyClient({ baseUrl: simulator.url, token: 'any', maxRetries: 0 });
});
afterAll(async () => {
  await simulator.close();
  await receiver.close();
});
beforeEach(() => {
  simulator.reset();
  receiver.received.length = 0;
});

const allEvents = ['ACTOR.RUN.SUCCEEDED', 'ACTOR.RUN.FAILED', 'ACTOR.RUN.ABORTED', 'ACTOR.RUN.TIMED_OUT'] as const;
const start = (handle?: string) =>
  client
    .actor(actor)
    .start(input(handle), { webhooks: [{ eventTypes: [...allEvents], requestUrl: `${receiver.url}/runs` }] });
const http = async (method: string, path: string, body?: unknown) => {
  const response = await fetch(simulator.url + path, {
    method,
    ...(body === undefined ? {} : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  });
  return {
    status: response.status,
    headers: response.headers,
    body: (await response.json()) as Record<string, unknown>,
  };
};
const startProfile = (username: string, correlationId = username) =>
  http('POST', '/v1/profile-scrapes', {
    username,
    webhook_url: `${receiver.url}/profiles`,
    webhook_headers: { 'X-Secret': 's' },
    correlation_id: correlationId,
  });
const eventTypes = () => receiver.received.map(({ body }) => (body as { eventType: string }).eventType);

describe('the official client', () => {
  it('starts a run, waits for its end and reads its items page by page', async () => {
    const run = await client.actor(actor).start(input());
    expect(run).toMatchObject({ status: 'READY', actId: actor });
    const end = await client.run(run.id).waitForFinish({ waitSecs: 10 });
    expect(end).toMatchObject({ status: 'SUCCEEDED', exitCode: 0 });
    expect(end.finishedAt).toBeInstanceOf(Date);
    const all = await client.dataset(run.defaultDatasetId).listItems();
    expect(all).toMatchObject({ offset: 0, count: all.total });
    const page = await client.dataset(run.defaultDatasetId).listItems({ offset: 2, limit: 3 });
    expect(page).toMatchObject({ offset: 2, limit: 3, count: 3, total: all.total });
    expect(page.items).toEqual(all.items.slice(2, 5));
    const iterated = [];
    for await (const item of client.dataset(run.defaultDatasetId).listItems({ chunkSize: 4 })) iterated.push(item);
    expect(iterated).toEqual(all.items);
  });

  it('reads a compressed input back', async () => {
    const large = { ...input(), note: 'x'.repeat(5_000) };
    const run = await client.actor(actor).start(large);
    expect((await client.keyValueStore(run.defaultKeyValueStoreId).getRecord('INPUT'))?.value).toEqual(large);
    expect(await client.keyValueStore(run.defaultKeyValueStoreId).getRecord('OUTPUT')).toBeUndefined();
  });

  it('aborts a run through ABORTING to ABORTED, and answers a finished run as it ended', async () => {
    simulator.setFaults([{ on: 'run', kind: 'never_ends' }]);
    const run = await start();
    expect((await client.run(run.id).abort()).status).toBe('ABORTING');
    expect((await client.run(run.id).waitForFinish()).status).toBe('ABORTED');
    expect((await client.run(run.id).abort()).status).toBe('ABORTED');
    await simulator.settled();
    expect(eventTypes()).toEqual(['ACTOR.RUN.ABORTED']);
    expect(simulator.ledger({ operation: 'run.abort' }).map(({ effect }) => effect)).toEqual([true, false]);
  });

  it('lists runs, oldest first, by page and from a moment on', async () => {
    const runs = [await start('a'), await start('b'), await start('c')];
    await simulator.settled();
    const listed = client.actor(actor).runs();
    expect(await listed.list({ offset: 1, limit: 2 })).toMatchObject({
      total: 3,
      count: 2,
      items: [{ id: runs[1]?.id }, { id: runs[2]?.id }],
    });
    expect((await listed.list({ startedAfter: new Date(Date.now() + 1000) })).total).toBe(0);
    expect((await client.actor('another~actor').runs().list()).total).toBe(0);
  });

  it('gets 404 in the form that it expects', async () => {
    expect(await client.run('nope').get()).toBeUndefined();
    expect(await client.dataset('nope').get()).toBeUndefined();
    await expect(client.run('nope').abort()).rejects.toMatchObject({ statusCode: 404, type: 'record-not-found' });
    await expect(client.dataset('nope').listItems()).rejects.toBeInstanceOf(ApifyApiError);
  });

  it('is refused above the number of concurrent runs', async () => {
    simulator.adjust({ maxConcurrentRuns: 2 });
    simulator.setFaults([{ on: 'run', kind: 'never_ends' }]);
    const runs = [await start('a'), await start('b')];
    await expect(start('c')).rejects.toMatchObject({ statusCode: 400, type: 'concurrent-runs-limit-exceeded' });
    for (const run of runs) await client.run(run.id).abort();
    await simulator.settled();
    await expect(start('c')).resolves.toMatchObject({ status: 'READY' });
  });
});

describe('webhooks', () => {
  it('have the default payload and the headers of the template, and are repeated until they are accepted', async () => {
    receiver.answerNext(500, 503);
    const run = await client.actor(actor).start(input(), {
      webhooks: [
        {
          eventTypes: ['ACTOR.RUN.SUCCEEDED'],
          requestUrl: `${receiver.url}/hook?job=1`,
          headersTemplate: JSON.stringify({ 'X-Secret': 's3cret' }),
        },
      ],
    });
    await simulator.settled();
    expect(receiver.received).toHaveLength(3);
    expect(receiver.received[0]).toMatchObject({
      path: '/hook?job=1',
      headers: { 'x-secret': 's3cret', 'x-apify-webhook': 'true' },
      body: {
        eventType: 'ACTOR.RUN.SUCCEEDED',
        eventData: { actorId: actor, actorRunId: run.id },
        resource: { id: run.id, status: 'SUCCEEDED' },
      },
    });
    const deliveries = simulator.ledger({ operation: 'run.webhook' });
    expect(deliveries.map(({ attempt, status, outcome }) => [attempt, status, outcome])).toEqual([
      [1, 500, 'failed'],
      [2, 503, 'failed'],
      [3, 200, 'delivered'],
    ]);
    expect(simulator.summary().runs.undelivered).toBe(0);
  });

  it('are given up after the last attempt, and the summary shows that', async () => {
    receiver.answerNext(500, 500, 500, 500);
    await start();
    await simulator.settled();
    expect(receiver.received).toHaveLength(4);
    expect(simulator.summary().runs.undelivered).toBe(1);
  });

  it('fill in a payload template', async () => {
    await client.actor(actor).start(input(), {
      webhooks: [
        {
          eventTypes: ['ACTOR.RUN.SUCCEEDED'],
          requestUrl: receiver.url,
          payloadTemplate: '{"id": {{resource.id}}, "e": {{eventType}}}',
        },
      ],
    });
    await simulator.settled();
    expect(receiver.received[0]?.body).toEqual({ id: expect.any(String) as unknown, e: 'ACTOR.RUN.SUCCEEDED' });
  });
});

describe('the single-profile call', () => {
  it('delivers the profile, the same every time, and returns it on request', async () => {
    const started = await startProfile('ada');
    expect(started).toMatchObject({ status: 202, body: { status: 'RUNNING' } });
    await startProfile('ada', 'again');
    await simulator.settled();
    const [first, second] = receiver.received;
    expect(first).toMatchObject({ path: '/profiles', headers: { 'x-secret': 's', 'x-scrape-id': started.body['id'] } });
    expect(first?.body).toEqual(second?.body);
    const found = await http('GET', '/v1/profile-scrapes?correlation_id=ada');
    expect(found.body).toEqual({
      scrapes: [expect.objectContaining({ id: started.body['id'], status: 'SUCCEEDED', result: first?.body })],
    });
    expect((await http('GET', `/v1/profile-scrapes/${String(started.body['id'])}`)).body).toMatchObject({
      username: 'ada',
    });
    expect((await http('GET', '/v1/profile-scrapes/nope')).status).toBe(404);
  });

  it('says what is wrong with a request', async () => {
    for (const body of [{}, { username: ' ', webhook_url: receiver.url }, { username: 'a', webhook_url: 'nowhere' }]) {
      expect(await http('POST', '/v1/profile-scrapes', body)).toMatchObject({
        status: 400,
        body: { error: { type: 'invalid-request' } },
      });
    }
  });

  it('is refused when no slot is free, with the time to wait', async () => {
    simulator.adjust({ maxConcurrentProfiles: 1 });
    simulator.setFaults([{ on: 'profile', kind: 'never_ends' }]);
    await startProfile('a');
    const refused = await startProfile('b');
    expect(refused.status).toBe(429);
    expect(refused.headers.get('retry-after')).toBe('1');
  });
});

describe('faults', () => {
  it.each([
    ['error_before', false],
    ['error_after', true],
    ['timeout_before', false],
    ['timeout_after', true],
    ['reset_before', false],
    ['reset_after', true],
    ['rate_limited', false],
    ['no_capacity', false],
  ] as const)('%s of a start fails the call and leaves an effect: %s', async (kind, effect) => {
    simulator.setFaults([{ on: 'run.start', kind, delayMs: 20, times: 1 }]);
    await expect(start()).rejects.toThrow();
    expect(simulator.summary().runs.started).toBe(effect ? 1 : 0);
    expect(simulator.ledger({ operation: 'run.start' })).toMatchObject([
      { effect, faults: [kind], target: 'ada-lovelace' },
    ]);
    await expect(start()).resolves.toMatchObject({ status: 'READY' });
  });

  it('a run costs its start and its items, known at its end, later or never, and in the ledger at once', async () => {
    simulator.setFaults([
      { on: 'run', kind: 'fail', target: 'failed' },
      { on: 'run', kind: 'late_cost', target: 'late', delayMs: 60_000 },
      { on: 'run', kind: 'late_cost', target: 'soon', delayMs: 20 },
      { on: 'run', kind: 'no_cost', target: 'silent' },
    ]);
    const costOf = async (id: string) => (await client.run(id).get())?.usageTotalUsd;
    const ended = async (handle: string) => {
      const run = await start(handle);
      await client.run(run.id).waitForFinish({ waitSecs: 10 });
      const [end] = simulator.ledger({ operation: 'run.ended', id: run.id });
      expect(end!.costUsd).toBe(Math.round(1000 + end!.items!.total * 2000) / 1e6);
      return { id: run.id, atStart: run.usageTotalUsd, atEnd: await costOf(run.id), whole: end!.costUsd };
    };
    const usual = await ended('ada-lovelace');
    expect(usual).toMatchObject({ atStart: 0.001, atEnd: usual.whole });
    expect(usual.whole).toBeGreaterThan(0.001);
    expect(await ended('failed')).toMatchObject({ atEnd: 0.001, whole: 0.001 });
    expect(await ended('late')).toMatchObject({ atStart: 0.001, atEnd: 0.001 });
    expect(await ended('silent')).toMatchObject({ atStart: undefined, atEnd: undefined });
    const soon = await ended('soon');
    while ((await costOf(soon.id)) !== soon.whole) await new Promise((resolve) => setTimeout(resolve, 5));
  });

  it('fail and time_out end runs in that status, which their webhooks report', async () => {
    simulator.setFaults([
      { on: 'run', kind: 'fail', target: 'a' },
      { on: 'run', kind: 'time_out', target: 'b' },
      { on: 'run', kind: 'empty', target: 'c' },
    ]);
    const runs = [await start('a'), await start('b'), await start('c')];
    await simulator.settled();
    expect(eventTypes().sort()).toEqual(['ACTOR.RUN.FAILED', 'ACTOR.RUN.SUCCEEDED', 'ACTOR.RUN.TIMED_OUT']);
    expect((await client.dataset(runs[2]?.defaultDatasetId ?? '').listItems()).total).toBe(0);
    expect(simulator.summary().runs.ended).toEqual({ FAILED: 1, 'TIMED-OUT': 1, SUCCEEDED: 1 });
  });

  it('broken_item adds values to the dataset that are no items', async () => {
    simulator.setFaults([{ on: 'dataset', kind: 'broken_item' }]);
    const run = await start();
    await simulator.settled();
    const { items } = await client.dataset(run.defaultDatasetId).listItems();
    expect(items.slice(0, 2)).toEqual([null, 'not an item']);
    expect(simulator.itemCounts(run.id)).toMatchObject({ broken: 4 });
  });

  it('twice, never and late change the delivery of webhooks', async () => {
    simulator.setFaults([
      { on: 'profile.webhook', kind: 'twice', target: 'two' },
      { on: 'webhook', kind: 'never', target: 'none' },
      // Long enough for the starts of the others on a busy machine.
      { on: 'profile.webhook', kind: 'late', target: 'slow', delayMs: 2_000 },
    ]);
    for (const username of ['two', 'none', 'slow', 'usual']) await startProfile(username);
    await simulator.settled();
    const names = receiver.received.map(({ headers }) => headers['x-correlation-id']);
    expect([...names].sort()).toEqual(['slow', 'two', 'two', 'usual']);
    expect(names.at(-1)).toBe('slow');
    expect(simulator.ledger({ outcome: 'suppressed' })).toMatchObject([{ target: 'none' }]);
    expect(simulator.summary().profiles.undelivered).toBe(1);
  });

  it('out_of_order delivers another webhook first', async () => {
    simulator.setFaults([{ on: 'profile.webhook', kind: 'out_of_order', target: 'first', delayMs: 5_000 }]);
    await startProfile('first');
    await new Promise((resolve) => setTimeout(resolve, 30));
    await startProfile('second');
    await simulator.settled();
    expect(receiver.received.map(({ headers }) => headers['x-correlation-id'])).toEqual(['second', 'first']);
  });

  it('before_answer sends the webhook before the start is answered', async () => {
    simulator.setFaults([{ on: 'run.webhook', kind: 'before_answer' }]);
    const run = await start();
    expect(receiver.received).toHaveLength(1);
    expect(run.status).toBe('SUCCEEDED');
  });

  it('probability and skip are the same for the same seed', async () => {
    const faults: Fault[] = [{ on: 'profile.start', kind: 'error_before', probability: 0.5, skip: 2 }];
    const statuses = async () => {
      simulator.setFaults(faults);
      const seen = [];
      for (let index = 0; index < 20; index++) seen.push((await startProfile(`u${index}`)).status);
      return seen;
    };
    const first = await statuses();
    expect(first.slice(0, 2)).toEqual([202, 202]);
    expect(new Set(first)).toEqual(new Set([202, 500]));
    expect(await statuses()).toEqual(first);
  });

  it('are set over HTTP, validated, counted and removed', async () => {
    const wrong = await http('PUT', '/faults', {
      faults: [
        { on: 'moon', kind: 'fail' },
        { on: 'run', kind: 'twice', times: -1, what: 1 },
      ],
    });
    expect(wrong.status).toBe(400);
    expect(wrong.body['message']).toHaveLength(4);
    await http('PUT', '/faults', { faults: [{ on: 'call', kind: 'error_before', status: 503, times: 1 }] });
    expect((await startProfile('a')).status).toBe(503);
    expect((await http('GET', '/faults')).body).toEqual({
      faults: [{ on: 'call', kind: 'error_before', status: 503, times: 1, applied: 1 }],
    });
    expect((await http('DELETE', '/faults')).body).toEqual({ faults: [] });
  });
});

describe('ledger', () => {
  it('lists every call, start, end and delivery, by page and filter', async () => {
    for (const username of ['a', 'b', 'c']) await startProfile(username);
    await startProfile('a', 'a');
    await simulator.settled();
    const first = (await http('GET', '/ledger?limit=5')).body as unknown as LedgerPage;
    const rest = (await http('GET', `/ledger?afterSeq=${first.nextAfterSeq}`)).body as unknown as LedgerPage;
    expect([...first.entries, ...rest.entries].map(({ seq }) => seq)).toEqual(
      Array.from({ length: 12 }, (_, index) => index + 1),
    );
    expect(rest.nextAfterSeq).toBeNull();
    const starts = (await http('GET', '/ledger?operation=profile.start&target=a&effect=true'))
      .body as unknown as LedgerPage;
    expect(starts.entries).toHaveLength(2);
    expect((await http('GET', '/ledger/summary')).body).toMatchObject({
      counts: { 'profile.start': { ok: 4 }, 'profile.ended': { SUCCEEDED: 4 }, 'profile.webhook': { delivered: 4 } },
      profiles: { started: 4, active: 0, targets: 3, startedTwice: [{ correlationId: 'a', count: 2 }], undelivered: 0 },
      pendingWebhooks: 0,
    });
    expect((await http('GET', '/ledger?colour=red')).status).toBe(400);
  });

  it('reports a profile that is started under a second correlation id while the first start is under way', async () => {
    simulator.setFaults([{ on: 'profile', kind: 'slow', target: ['slow', 'Again'], delayMs: 300 }]);
    await startProfile('slow', '2026-11.first');
    await startProfile('slow', '2026-11.second');
    await startProfile('once', '2026-11.third');
    await simulator.settled();
    expect((await http('GET', '/ledger/summary')).body['profiles']).toMatchObject({
      started: 3,
      startedTwice: [
        {
          reason: 'same_intention',
          target: 'slow',
          intention: '2026-11',
          count: 2,
          overlaps: 1,
          correlationIds: ['2026-11.first', '2026-11.second'],
        },
      ],
    });
  });

  it('reports a profile that is started again after a success, but not after a failure or on request', async () => {
    simulator.setFaults([{ on: 'profile', kind: 'fail', target: 'fails', times: 1 }]);
    const start = async (username: string, correlationId: string) => {
      await startProfile(username, correlationId);
      await simulator.settled();
    };
    await start('done', '2026-11.first');
    await start('fails', '2026-11.second');
    await start('fails', '2026-11.third');
    await start('wanted', '2026-11.fourth');
    // Another month, and a forced run, are other intentions.
    await start('wanted', '2026-12.fifth');
    await start('wanted', '2026-12.sixth.forced-run');
    expect(simulator.summary().profiles.startedTwice).toEqual([]);
    await start('done', '2026-11.seventh');
    await start('wanted', '2026-12.eighth.forced-run');
    expect(simulator.summary().profiles.startedTwice).toMatchObject([
      { target: 'done', intention: '2026-11', count: 2, overlaps: 0 },
      { target: 'wanted', intention: '2026-12.forced-run', count: 2, overlaps: 0 },
    ]);
  });

  it('drops the oldest entries but keeps the counts', async () => {
    const small = await startSimulator({ ledgerEntriesMax: 10, profileDurationMs: { min: 0, max: 0 } });
    try {
      for (let index = 0; index < 30; index++) {
        await fetch(`${small.url}/v1/profile-scrapes`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ username: `u${index}`, webhook_url: receiver.url }),
        });
      }
      await small.settled();
      const summary = small.summary();
      expect(summary.profiles.started).toBe(30);
      expect(summary.ledger.entries).toBeLessThanOrEqual(13);
      expect(summary.ledger.dropped).toBe(90 - summary.ledger.entries);
      expect(small.ledger().at(-1)?.seq).toBe(90);
    } finally {
      await small.close();
    }
  });

  it('a reset drops everything, including what is on its way', async () => {
    // Long enough for a busy machine to reset before the webhook is due.
    simulator.setFaults([{ on: 'webhook', kind: 'late', delayMs: 1_500 }]);
    simulator.adjust({ runDurationMs: { min: 1, max: 1 }, maxConcurrentRuns: 1 });
    const run = await start();
    await client.run(run.id).waitForFinish();
    await http('POST', '/reset');
    await new Promise((resolve) => setTimeout(resolve, 1_600));
    expect(receiver.received).toHaveLength(0);
    expect(await client.run(run.id).get()).toBeUndefined();
    expect((await http('GET', '/faults')).body).toEqual({ faults: [] });
    for (const handle of ['a', 'b']) await start(handle);
  });
});

it('continues accepted work after a restart, and starts nothing twice', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'simulator-'));
  const options = {
    stateFile: join(folder, 'state', 'journal.jsonl'),
    runDurationMs: { min: 20, max: 20 },
    profileDurationMs: { min: 20, max: 20 },
  };
  try {
    let restarted = await startSimulator(options);
    const post = async (path: string, body: unknown) => {
      const response = await fetch(restarted.url + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      return (await response.json()) as { id: string };
    };
    const scrape = (username: string) =>
      post('/v1/profile-scrapes', { username, webhook_url: `${receiver.url}/p`, correlation_id: username });
    await scrape('done');
    await restarted.settled();
    // What begins now does not end before the simulator stops.
    restarted.adjust({ runDurationMs: { min: 60_000, max: 60_000 }, profileDurationMs: { min: 60_000, max: 60_000 } });
    const { id } = await scrape('lasting');
    const run = await new ApifyClient({ baseUrl: restarted.url, token: 'any', maxRetries: 0 })
      .actor(actor)
      .start(input(), { webhooks: [{ eventTypes: [...allEvents], requestUrl: `${receiver.url}/r` }] });
    await restarted.close();
    expect(receiver.received).toHaveLength(1);
    // A killed process leaves an incomplete line.
    appendFileSync(options.stateFile, '{"ended":"nob');

    restarted = await startSimulator(options);
    await restarted.settled();
    expect(receiver.received.map(({ path }) => path).sort()).toEqual(['/p', '/p', '/r']);
    expect(restarted.summary()).toMatchObject({
      runs: { started: 1, active: 0, undelivered: 0 },
      profiles: { started: 2, active: 0, targets: 2, startedTwice: [], undelivered: 0 },
    });
    expect(restarted.itemCounts(run.id)?.posts).toBe(5);
    await restarted.close();

    restarted = await startSimulator(options);
    const found = await fetch(`${restarted.url}/v1/profile-scrapes/${id}`);
    expect(await found.json()).toMatchObject({ username: 'lasting', status: 'SUCCEEDED' });
    const again = await new ApifyClient({ baseUrl: restarted.url, token: 'any' }).run(run.id).get();
    expect(again?.usageTotalUsd).toBeGreaterThan(0.01);
    await restarted.settled();
    expect(receiver.received).toHaveLength(3);
    await restarted.close();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

it('accepts ten thousand profiles, each once', async () => {
  simulator.adjust({ maxConcurrentProfiles: 100_000 });
  let next = 0;
  await Promise.all(
    Array.from({ length: 40 }, async () => {
      while (next < 10_000) await startProfile(`person-${next++}`);
    }),
  );
  await simulator.settled(60_000);
  expect(simulator.summary().profiles).toMatchObject({
    started: 10_000,
    targets: 10_000,
    startedTwice: [],
    undelivered: 0,
  });
  expect(new Set(receiver.received.map(({ headers }) => headers['x-correlation-id'])).size).toBe(10_000);
}, 300_000);
