import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { withClockOff } from '@tradewind/testkit';
import { DeadLetterRedrive } from '../src/batches/dead-letter-redrive.js';
import {
  envelope,
  eventually,
  profiles,
  push,
  pushToken,
  startApp,
  webhookSecret,
  type PushedBatch,
  type TestApp,
} from './priority-api-app.js';

jest.setTimeout(120_000);

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());
beforeEach(() => app.simulator.setFaults([]));

/** How often the provider began each of these, in their order. */
const starts = (names: readonly { network_username: string }[]) => {
  const counts = new Map<string, number>();
  for (const { target } of app.simulator.ledger({ operation: 'profile.start', effect: true })) {
    counts.set(target!, (counts.get(target!) ?? 0) + 1);
  }
  return names.map(({ network_username }) => counts.get(network_username) ?? 0);
};
const once = (names: readonly unknown[]) => names.map(() => 1);

describe('POST /batch-trigger/', () => {
  it('starts each profile and answers how many it started', async () => {
    const batch = profiles(30);
    const answer = await app.push({ profiles: batch });
    expect(answer).toMatchObject({ status: 200, body: { status: 'success', profiles_triggered: 30, batch_number: 7 } });
    expect(Object.keys(answer.body)).toEqual(['status', 'profiles_triggered', 'batch_number']);
    expect(starts(batch)).toEqual(once(batch));
    await eventually(() => expect(app.webhook.received.length).toBeGreaterThanOrEqual(30));
    const [delivery] = app.webhook.received;
    expect(delivery).toMatchObject({
      secret: webhookSecret,
      correlationId: expect.stringMatching(/^\d{4}-\d\d\.[0-9a-f-]{36}$/),
    });
  });

  it('answers with and without the trailing slash', async () => {
    const response = await fetch(`${app.url}/batch-trigger`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${pushToken}` },
      body: JSON.stringify(envelope({ profiles: profiles(1) })),
    });
    expect(await response.json()).toEqual({ status: 'success', profiles_triggered: 1, batch_number: 7 });
  });

  it('starts nothing twice when a batch is delivered again, even many times at once', async () => {
    const batch = profiles(20);
    const messageId = randomUUID();
    const answers = await Promise.all(Array.from({ length: 8 }, () => app.push({ profiles: batch, messageId })));
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200));
    expect(answers.reduce((sum, { body }) => sum + Number(body['profiles_triggered']), 0)).toBe(20);
    expect((await app.push({ profiles: batch, messageId })).body).toEqual({
      status: 'success',
      profiles_triggered: 0,
      batch_number: 7,
    });
    expect(starts(batch)).toEqual(once(batch));
    expect(await app.query('select deliveries from batch_message where message_id = $1', [messageId])).toEqual([
      { deliveries: 9 },
    ]);
  });

  it('starts a profile once in a month, whatever its message or spelling', async () => {
    const [profile] = profiles(1);
    const spelled = { ...profile!, network_username: ` ${profile!.network_username.toUpperCase()} ` };
    expect((await app.push({ profiles: [profile, spelled, profile] })).body['profiles_triggered']).toBe(1);
    expect((await app.push({ profiles: [spelled] })).body['profiles_triggered']).toBe(0);
    expect(starts([profile!])).toEqual([1]);
  });

  it('starts a profile again in another month, and again for a forced run', async () => {
    const batch = profiles(3);
    const attributes = (more: object) => ({ batch_number: '1', total_batches: '1', ...more });
    await app.push({ profiles: batch, attributes: attributes({ month: '2026-01' }) });
    await app.push({ profiles: batch, attributes: attributes({ month: '2026-02' }) });
    await app.push({ profiles: batch, attributes: attributes({ month: '2026-02' }) });
    const forced = attributes({ month: '2026-02', forced_run_id: randomUUID() });
    await app.push({ profiles: batch, attributes: forced });
    await app.push({ profiles: batch, attributes: forced });
    expect(starts(batch)).toEqual([3, 3, 3]);
  });

  it('starts nothing twice when two replicas share redelivered batches', async () => {
    const other = await app.replica();
    const batch = profiles(40);
    const messageId = randomUUID();
    await Promise.all([app.url, other.url, app.url, other.url].map((url) => push(url, { profiles: batch, messageId })));
    await eventually(() => expect(starts(batch)).toEqual(once(batch)));
  });
});

describe('messages that no retry can repair', () => {
  const json = (value: unknown) =>
    Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64');
  const one = profiles(1);

  it.each<[string, PushedBatch, string]>([
    ['no base64', { data: '***' }, 'base64'],
    ['no text', { data: Buffer.from([0xff, 0xfe]).toString('base64') }, 'UTF-8'],
    ['an empty body', { data: '' }, 'base64'],
    ['no JSON', { data: json('{"profiles": [') }, 'JSON'],
    ['no profiles', { data: json({ people: [] }) }, 'profiles must be a list'],
    ['an empty list', { data: json({ profiles: [] }) }, 'at least one profile'],
    ['a list instead of an object', { data: json([]) }, 'profiles must be a list'],
    [
      'only unusable profiles',
      { data: json({ profiles: [{ network_username: ' ', person_id: 'x' }] }) },
      'profiles.0.network_username',
    ],
    [
      'a person that is no UUID',
      { data: json({ profiles: [{ network_username: 'ada', person_id: '7' }] }) },
      'profiles.0.person_id',
    ],
    ['too many profiles', { data: json({ profiles: profiles(101) }) }, 'at most 100'],
    ['no batch number', { profiles: one, attributes: { total_batches: '1' } }, 'batch_number'],
    [
      'an impossible month',
      { profiles: one, attributes: { batch_number: '0', total_batches: '1', month: '0000-01' } },
      'message.attributes.month must lie between',
    ],
    [
      'a month that is none',
      { profiles: one, attributes: { batch_number: '0', total_batches: '1', month: '2026-13' } },
      'message.attributes.month must have the form YYYY-MM',
    ],
    [
      'a forced run without an id of a run',
      { profiles: one, attributes: { batch_number: '0', total_batches: '1', forced_run_id: 'again' } },
      'forced_run_id must be a UUID',
    ],
    [
      'a batch number that is none',
      { profiles: one, attributes: { batch_number: 'two', total_batches: '1' } },
      'batch_number',
    ],
  ])('are acknowledged and kept, with their reason: %s', async (_what, message, reason) => {
    const messageId = randomUUID();
    for (let delivery = 0; delivery < 2; delivery++) {
      const answer = await app.push({ ...message, messageId });
      expect(answer.status).toBe(200);
      expect(answer.body).toEqual({
        status: 'success',
        profiles_triggered: 0,
        batch_number: message.attributes ? 0 : 7,
      });
    }
    expect(await app.query('select reason, deliveries from dead_letter where message_id = $1', [messageId])).toEqual([
      { reason: expect.stringContaining(reason), deliveries: 2 },
    ]);
  });

  it.each<[string, string]>([
    ['text', '"batch_number=1"'],
    ['null', 'null'],
    ['a list', '["1"]'],
    ['numbers', '{"batch_number":1,"total_batches":1}'],
    ['NUL and half a character', '{"a\\u0000b":"\\ud800"}'],
    ['nested', '{"a":{"b":[{"c":1}]}}'],
  ])('are acknowledged and kept also when the attributes are %s', async (_what, attributes) => {
    const messageId = randomUUID();
    const data = json({ profiles: one });
    const response = await fetch(`${app.url}/batch-trigger/`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${pushToken}` },
      body: `{"message":{"messageId":"${messageId}","data":"${data}","attributes":${attributes}}}`,
    });
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ status: 'success', profiles_triggered: 0, batch_number: 0 });
    expect(await app.query('select deliveries from dead_letter where message_id = $1', [messageId])).toEqual([
      { deliveries: 1 },
    ]);
  });

  it('are acknowledged and kept when the payload is nested too deep, and refused when the envelope is', async () => {
    const deep = `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`;
    const send = async (message: string) => {
      const response = await fetch(`${app.url}/batch-trigger/`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${pushToken}` },
        body: `{"message":${message}}`,
      });
      return { status: response.status, body: await response.json() };
    };
    const messageId = randomUUID();
    const data = Buffer.from(`{"profiles":[${deep}]}`).toString('base64');
    const attributes = '{"batch_number":"7","total_batches":"9"}';
    expect(await send(`{"messageId":"${messageId}","data":"${data}","attributes":${attributes}}`)).toEqual({
      status: 200,
      body: { status: 'success', profiles_triggered: 0, batch_number: 7 },
    });
    expect(await app.query('select reason from dead_letter where message_id = $1', [messageId])).toEqual([
      { reason: 'message.data must hold JSON of at most 100 levels' },
    ]);
    // Attributes of a queue are texts, so this envelope comes from no queue.
    expect(await send(`{"messageId":"${randomUUID()}","data":"${data}","attributes":${deep}}`)).toEqual({
      status: 400,
      body: { message: ['body must not be nested in more than 100 levels'], error: 'Bad Request', statusCode: 400 },
    });
  });

  it('with one bad profile still start the good ones', async () => {
    const batch = profiles(3);
    const messageId = randomUUID();
    const answer = await app.push({
      profiles: [batch[0], { network_username: 'x' }, batch[1], 'text', batch[2]],
      messageId,
    });
    expect(answer.body).toEqual({ status: 'success', profiles_triggered: 3, batch_number: 7 });
    expect(starts(batch)).toEqual([1, 1, 1]);
    expect(await app.query('select reason from dead_letter where message_id = $1', [messageId])).toEqual([
      { reason: 'profiles.1.person_id must be a UUID; profiles.3.network_username must be the handle of a profile' },
    ]);
  });

  it('that are redriven belong to the month in which they came, when they name no month or time', async () => {
    const [profile] = profiles(1);
    const { data, attributes } = envelope({ profiles: [profile] }).message;
    const [letter] = await app.query<{ id: string }>(
      `insert into dead_letter(fingerprint, reason, message, first_received_at)
       values ('of-august', 'too many profiles', $1, '2026-08-15') returning id`,
      [JSON.stringify({ data, attributes })],
    );
    const redriven = await app.running.app.get(DeadLetterRedrive).redrive(letter!.id, { by: 'operator' });
    expect(redriven).toEqual({ month: '2026-08', profiles: 1, profilesNew: 1, started: 1 });
    expect(
      await app.query('select month from profile_call where network_username = $1', [profile!.network_username]),
    ).toEqual([{ month: '2026-08' }]);
  });

  it.each([[{}], [{ message: 'text' }], [[]], [null]])(
    'are refused with 400 when the body holds no message at all: %j',
    async (body) => {
      const response = await fetch(`${app.url}/batch-trigger/`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${pushToken}` },
        body: JSON.stringify(body),
      });
      expect(response.status).toBe(400);
      expect(await response.json()).toEqual({
        message: ['message must be an object'],
        error: 'Bad Request',
        statusCode: 400,
      });
    },
  );
});

describe('a provider that misbehaves', () => {
  describe('at the start of half a batch', () => {
    const faults = {
      'answers 500 before it has begun anything': { kind: 'error_before' },
      'answers 500 although it has begun the scrape': { kind: 'error_after' },
      'breaks the connection although it has begun the scrape': { kind: 'reset_after' },
      'does not answer in time although it has begun the scrape': { kind: 'timeout_after', delayMs: 6_000 },
      'has no capacity': { kind: 'rate_limited' },
    } as const;
    const batches = Object.entries(faults).map(([what, fault]) => ({ what, fault, batch: profiles(12), status: 0 }));

    // All at once, since each waits for the provider.
    beforeAll(async () => {
      const halves = batches.map(({ fault, batch }) => {
        const target = batch.slice(0, 6).map(({ network_username }) => network_username);
        return { on: 'profile.start', target, times: 6, ...fault } as const;
      });
      app.simulator.setFaults(halves);
      const push = async (one: (typeof batches)[number]) => {
        one.status = (await app.push({ profiles: one.batch })).status;
      };
      await Promise.all(batches.map(push));
    });

    it.each(batches)('$what: each profile is started exactly once in the end', async ({ batch, status }) => {
      expect([200, 503]).toContain(status);
      await eventually(async () => {
        expect(starts(batch)).toEqual(once(batch));
        const names = batch.map(({ network_username }) => network_username);
        expect(
          await app.query(
            'select state, count(*)::int as n from profile_call where network_username = any($1) group by state',
            [names],
          ),
        ).toEqual([{ state: 'started', n: 12 }]);
      });
    });
  });

  it('is down: the answer is 503, and the profiles start once it is back', async () => {
    const batch = profiles(5);
    app.simulator.setFaults([{ on: 'profile.start', kind: 'error_before' }]);
    const messageId = randomUUID();
    const answer = await app.push({ profiles: batch, messageId });
    expect(answer.status).toBe(503);
    expect(answer.body).toMatchObject({ error: 'Service Unavailable', statusCode: 503 });
    expect(answer.headers.get('retry-after')).toBe('5');
    app.simulator.setFaults([]);
    await eventually(() => expect(starts(batch)).toEqual(once(batch)));
    expect((await app.push({ profiles: batch, messageId })).status).toBe(200);
    expect(starts(batch)).toEqual(once(batch));
  });

  it('is full for a moment: the push waits and starts the rest', async () => {
    const batch = profiles(40);
    const [{ network_username: target }] = batch as [(typeof batch)[0]];
    app.simulator.setFaults([{ on: 'profile.start', kind: 'rate_limited', target, times: 1, retryAfterSeconds: 1 }]);
    const { status, body } = await app.push({ profiles: batch });
    expect(status).toBe(200);
    // The refused one may be left to the background.
    expect(body['profiles_triggered']).toBeGreaterThanOrEqual(39);
    await eventually(() => expect(starts(batch)).toEqual(once(batch)));
  });

  it('is slow: the push is answered in time with what was started, and the rest follows', async () => {
    const batch = profiles(6);
    app.simulator.setFaults([{ on: 'profile.start', kind: 'latency', delayMs: 3_000 }]);
    const slow = await app.replica({ PUSH_BUDGET_MS: '300' });
    const before = performance.now();
    const answering = push(slow.url, { profiles: batch });
    await setTimeout(150);
    // The clock of the machine goes back meanwhile.
    const answer = await withClockOff(-3_600_000, () => answering);
    expect(performance.now() - before).toBeLessThan(3_000);
    expect(answer.body).toEqual({ status: 'success', profiles_triggered: 0, batch_number: 7 });
    await eventually(() => expect(starts(batch)).toEqual(once(batch)));
  });
});

describe('a webhook that never comes', () => {
  it('is replaced by the result from the provider once the profile is overdue', async () => {
    const batch = profiles(4);
    app.simulator.setFaults([{ on: 'profile.webhook', kind: 'never' }]);
    await app.push({ profiles: batch });
    const names = batch.map(({ network_username }) => network_username);
    await eventually(async () => {
      const urls = app.webhook.received.map(({ body }) => (body as { url: string }).url);
      // Twice when the first one took longer than the watch waits: priority-webhook recognises the repeat.
      for (const name of names) expect(urls.some((url) => url.endsWith(`/in/${name}`))).toBe(true);
      expect(
        await app.query(
          'select delivered_status as s, count(*)::int as n from profile_call where network_username = any($1) group by 1',
          [names],
        ),
      ).toEqual([{ s: 'SUCCESS', n: 4 }]);
    });
  });
});
