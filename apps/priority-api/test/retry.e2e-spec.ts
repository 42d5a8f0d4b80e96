// What a retry starts and what it leaves alone. Each start is paid for, so asking twice must start nothing more.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { monthOf } from '@tradewind/shared-types';
import { eventually, profiles, serviceToken, startApp, type TestApp } from './priority-api-app.js';

jest.setTimeout(120_000);

const month = monthOf(new Date());
let app: TestApp;
const startFreshApp = async () => {
  app = await startApp({ RETRY_OVERDUE_SECONDS: '3' });
};
const close = () => app.close();

type Batch = ReturnType<typeof profiles>;

async function retry(batch: Batch, more: object = {}, url = app.url) {
  const response = await fetch(`${url}/months/${month}/profiles/retry`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${serviceToken}` },
    body: JSON.stringify({ profiles: batch, ...more }),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}
const counts = (started: number, on_their_way: number, done: number, not_known = 0) => ({
  started,
  on_their_way,
  done,
  not_known,
});
const starts = () => app.simulator.ledger({ operation: 'profile.start', effect: true }).length;
const states = async () =>
  Object.fromEntries(
    (
      await app.query<{ name: string; state: string }>(
        `select network_username as name,
           state || coalesce(' ' || delivered_status, '') || case when lost_at is null then '' else ' lost' end as state
         from profile_call`,
      )
    ).map(({ name, state }) => [name, state]),
  );
const untilAll = (state: string, count: number) =>
  eventually(async () => expect(Object.values(await states())).toEqual(Array(count).fill(state)));

describe('POST /months/:month/profiles/retry', () => {
  beforeEach(startFreshApp);
  afterEach(close);

  it('starts nothing that is on its way or done, however often and in parallel it is asked', async () => {
    app.simulator.setFaults([{ on: 'profile', kind: 'slow', delayMs: 2_000 }]);
    const batch = profiles(6);
    await app.push({ profiles: batch });
    for (let round = 0; round < 3; round++) expect((await retry(batch)).body).toMatchObject(counts(0, 6, 0));
    const other = await app.replica();
    const twins = await Promise.all(Array.from({ length: 8 }, (_, n) => retry(batch, {}, n % 2 ? app.url : other.url)));
    for (const { body } of twins) expect(body).toMatchObject(counts(0, 6, 0));
    await untilAll('started SUCCESS', 6);
    expect((await retry(batch)).body).toMatchObject(counts(0, 0, 6));
    expect(starts()).toBe(6);
    expect(app.simulator.summary().profiles.startedTwice).toEqual([]);
  });

  it('counts what has arrived, even before the watch has looked', async () => {
    await app.close();
    app = await startApp({ WATCH_INTERVAL_MS: '600000' });
    const batch = profiles(2);
    app.simulator.setFaults([{ on: 'profile', kind: 'fail', target: batch[0]!.network_username, times: 1 }]);
    await app.push({ profiles: batch });
    await eventually(() => expect(app.webhook.received).toHaveLength(2));
    expect((await retry(batch)).body).toMatchObject(counts(1, 0, 1));
    await eventually(() => expect(app.webhook.received).toHaveLength(3));
    expect((await retry(batch)).body).toMatchObject(counts(0, 0, 2));
    expect(app.simulator.summary().profiles.startedTwice).toEqual([]);
  });

  it('starts what was refused or failed once, even when many ask at the same time', async () => {
    const batch = profiles(6);
    const [refused, failed] = [batch.slice(0, 2), batch.slice(2, 4)].map((part) =>
      part.map(({ network_username }) => network_username),
    );
    app.simulator.setFaults([
      { on: 'profile.start', kind: 'error_before', status: 422, target: refused!, times: 2 },
      { on: 'profile', kind: 'fail', target: failed!, times: 2 },
    ]);
    await app.push({ profiles: batch });
    await eventually(async () => {
      const now = Object.values(await states()).sort();
      expect(now).toEqual([
        'refused',
        'refused',
        'started FAILED',
        'started FAILED',
        'started SUCCESS',
        'started SUCCESS',
      ]);
    });
    app.simulator.setFaults([{ on: 'profile', kind: 'slow', delayMs: 1_500 }]);
    const twins = await Promise.all(Array.from({ length: 8 }, () => retry(batch)));
    expect(twins.reduce((sum, { body }) => sum + Number(body['started']), 0)).toBe(4);
    // The failure of the earlier scrape does not count as the answer to the one that is on its way.
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect((await retry(batch)).body).toMatchObject(counts(0, 4, 2));
    await untilAll('started SUCCESS', 6);
    expect(starts()).toBe(6 + 2);
    expect(app.simulator.summary().profiles.startedTwice).toEqual([]);
  });

  it('the same plan starts nothing more and gets the same answer, even when its starts have failed since', async () => {
    const batch = profiles(1);
    const plan_id = randomUUID();
    app.simulator.setFaults([{ on: 'profile', kind: 'fail' }]);
    await app.push({ profiles: batch });
    await untilAll('started FAILED', 1);
    const first = await retry(batch, { plan_id });
    expect(first.body).toEqual({ month, plan_id, dry_run: false, ...counts(1, 0, 0) });
    await eventually(() => expect(starts()).toBe(2));
    await untilAll('started FAILED', 1);
    expect(await retry(batch, { plan_id })).toEqual(first);
    expect(starts()).toBe(2);
    // Another plan may start it again.
    expect((await retry(batch)).body).toMatchObject(counts(1, 0, 0));
    await eventually(() => expect(starts()).toBe(3));
  });

  it('starts what is lost, but no scrape that still runs and none whose result can be fetched', async () => {
    const [endless, undelivered] = profiles(2);
    app.simulator.setFaults([
      { on: 'profile', kind: 'never_ends', target: endless!.network_username, times: 1 },
      { on: 'profile.webhook', kind: 'never', target: undelivered!.network_username },
    ]);
    await app.push({ profiles: [endless, undelivered] });
    expect((await retry([endless!, undelivered!])).body).toMatchObject(counts(0, 2, 0));
    await eventually(async () =>
      expect(await states()).toEqual({
        [endless!.network_username]: 'started lost',
        [undelivered!.network_username]: 'started SUCCESS',
      }),
    );
    const lookup = await fetch(`${app.url}/months/${month}/profiles/lookup`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${serviceToken}` },
      body: JSON.stringify({ network_usernames: [endless!.network_username] }),
    });
    expect(await lookup.json()).toMatchObject({
      profiles: [{ state: 'started', reason: expect.stringContaining('the provider has not ended the scrape') }],
    });
    expect((await retry([endless!, undelivered!])).body).toMatchObject(counts(1, 0, 1));
    expect((await retry([endless!, undelivered!])).body).toMatchObject(counts(0, 1, 1));
    await untilAll('started SUCCESS', 2);
    expect(starts()).toBe(3);
  });

  it('a dry run shows the plan and starts nothing', async () => {
    const batch = profiles(3);
    app.simulator.setFaults([
      { on: 'profile.start', kind: 'error_before', status: 422, target: batch[0]!.network_username, times: 1 },
    ]);
    await app.push({ profiles: batch.slice(0, 2) });
    await eventually(async () => expect(Object.values(await states()).sort()).toEqual(['refused', 'started SUCCESS']));
    expect((await retry(batch, { dry_run: true })).body).toMatchObject({ dry_run: true, ...counts(1, 0, 1, 1) });
    expect((await retry(batch, { dry_run: true, published: true })).body).toMatchObject(counts(2, 0, 1));
    expect(await app.query('select * from profile_retry')).toEqual([]);
    expect(starts()).toBe(1);
  });

  it('starts published profiles that never arrived here, and no unknown ones', async () => {
    const batch = profiles(2);
    expect((await retry(batch)).body).toMatchObject(counts(0, 0, 0, 2));
    const forced_run_id = randomUUID();
    expect((await retry(batch, { published: true, forced_run_id })).body).toMatchObject(counts(2, 0, 0));
    await untilAll('started SUCCESS', 2);
    // The batch itself comes late: its profiles have been started.
    const attributes = { batch_number: '1', total_batches: '1', forced_run_id };
    expect((await app.push({ profiles: batch, attributes })).body['profiles_triggered']).toBe(0);
    expect(starts()).toBe(2);
  });

  it('starts nothing while priority-webhook cannot say what has arrived', async () => {
    const batch = profiles(1);
    app.simulator.setFaults([{ on: 'profile.start', kind: 'error_before', status: 422, times: 1 }]);
    await app.push({ profiles: batch });
    await untilAll('refused', 1);
    app.webhook.isUp = false;
    expect((await retry(batch)).status).toBe(503);
    app.webhook.isUp = true;
    expect((await retry(batch)).body).toMatchObject(counts(1, 0, 0));
  });
});

describe('a wrong request for a retry', () => {
  beforeAll(startFreshApp);
  afterAll(close);

  it.each([
    [{ dry_run: null }, 'dry_run must be a boolean value'],
    [{ published: null }, 'published must be a boolean value'],
    [{ plan_id: null }, 'plan_id must be a UUID'],
    [
      { profiles: [{ network_username: '..', person_id: randomUUID() }] },
      expect.stringContaining('profiles.0.network_username must be the handle of a profile'),
    ],
  ])('is refused with 400: %j', async (more, message) => {
    expect(await retry(profiles(1), more)).toMatchObject({ status: 400, body: { message: [message] } });
  });

  it.each(['0000-01', '2026-13', '9999-12'])('is refused with 400: the month %s', async (impossible) => {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${serviceToken}` };
    const post = (path: string, body: unknown) =>
      fetch(`${app.url}/months/${impossible}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    expect((await post('/profiles/retry', { profiles: [] })).status).toBe(400);
    expect((await post('/profiles/lookup', { network_usernames: [] })).status).toBe(400);
    expect((await fetch(`${app.url}/months/${impossible}`, { headers })).status).toBe(400);
  });
});
