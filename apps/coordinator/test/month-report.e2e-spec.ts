import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually, startApp, type TestApp } from './coordinator-app.js';

let app: TestApp;
beforeEach(async () => {
  app = await startApp({ PROFILE_COST_USD: '0.02', BATCH_PROFILES: '10' });
});
afterEach(() => app.close());

const month = '2026-11';
const call = (
  network_username: string,
  state: 'pending' | 'starting' | 'unknown' | 'started' | 'refused',
  reason: string | null = null,
) =>
  app.neighbours.calls.set(network_username, {
    network_username,
    state,
    reason,
    started_at: state === 'started' ? '2026-11-02T00:00:00.000Z' : null,
  });
const delivery = (network_username: string, more: object = {}) =>
  app.neighbours.deliveries.set(network_username, {
    network_username,
    received_at: '2026-11-02T00:10:00.000Z',
    request_status: 'SUCCESS',
    reason: null,
    stored: true,
    backed_up: true,
    correlation_id: null,
    ...more,
  });

async function aMonth(): Promise<void> {
  const names = ['done', 'unstored', 'failed', 'started', 'refused', 'pending', 'unsettled', 'lost'];
  await app.addPeople(names.map((name) => ({ usernames: [name] })));
  await app.runToEnd({ month });
  for (const name of ['done', 'unstored', 'failed', 'started']) call(name, 'started');
  call('refused', 'refused', '400: no such profile');
  call('pending', 'pending');
  call('unsettled', 'unknown', 'no answer');
  delivery('done');
  delivery('unstored', { stored: false, reason: 'warehouse: down' });
  delivery('failed', { request_status: 'FAILED', reason: 'profile_not_found' });
}

describe('the month report', () => {
  it('counts each step and names what is missing, with the reason', async () => {
    await aMonth();
    const { status, body } = await app.request('GET', `/months/${month}/report`);
    expect(status).toBe(200);
    const { missing_profiles, ...counts } = body;
    expect(counts).toEqual({
      month,
      is_complete: false,
      selected: 8,
      published: 8,
      started: 4,
      received: 3,
      stored: 1,
      backed_up: 2,
      failed: 1,
      missing: 7,
    });
    expect(Object.fromEntries(missing_profiles.map((profile) => [profile.network_username, profile.reason]))).toEqual({
      unstored: 'received, not yet in the warehouse: warehouse: down',
      failed: 'the provider failed: profile_not_found',
      started: 'started at 2026-11-02T00:00:00.000Z, nothing received yet',
      refused: 'not started: 400: no such profile',
      pending: 'waits to be started',
      unsettled: 'may be started: no answer',
      lost: 'published, not received by priority-api yet',
    });
    expect((await app.request('GET', `/months/${month}/report?names=2`)).body.missing_profiles).toHaveLength(2);
    expect((await app.request('GET', `/months/${month}/report?names=0`)).body.missing_profiles).toEqual([]);
    for (const names of ['-1', '10001', '0.5', 'all']) {
      const { status, body } = await app.request('GET', `/months/${month}/report?names=${names}`);
      expect({ names, status, body }).toMatchObject({
        names,
        status: 400,
        body: { message: ['names must be an integer from 0 to 10000'] },
      });
    }
  });

  it('is complete when everything has arrived', async () => {
    await app.addPeople([{ usernames: ['done'] }]);
    await app.runToEnd({ month });
    // The answer to its start was lost.
    call('done', 'unknown', 'no answer');
    delivery('done');
    expect((await app.request('GET', `/months/${month}/report`)).body).toMatchObject({
      is_complete: true,
      selected: 1,
      started: 1,
      stored: 1,
      missing: 0,
    });
  });

  it('retries what is missing unless it is about to be stored, and counts the rest', async () => {
    await aMonth();
    for (const name of ['pending', 'unsettled', 'started']) app.neighbours.onTheirWay.add(name);
    const answer = await app.request('POST', `/months/${month}/retry-missing`);
    expect(answer).toEqual({
      status: 200,
      body: {
        month,
        plan_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        dry_run: false,
        started: 3,
        on_their_way: 4,
        done: 1,
        not_known: 0,
        expected_cost_usd: 0.06,
      },
    });
    const [asked, ...others] = app.neighbours.retries;
    expect(others).toEqual([]);
    expect(asked).toMatchObject({ plan_id: answer.body['plan_id'], dry_run: false, published: true });
    expect(asked!.profiles.map(({ network_username }) => network_username).sort()).toEqual([
      'failed',
      'lost',
      'pending',
      'refused',
      'started',
      'unsettled',
    ]);
  });

  it('passes on the plan, the dry run and the forced run of the profiles', async () => {
    await app.addPeople([{ usernames: ['again'] }, { usernames: ['once'] }]);
    await app.runToEnd({ month });
    const forced = await app.runToEnd({ month, force: true, limit: 1 });
    const plan_id = '6f1f3a52-7f0a-4a51-9d3c-0a5a7a0d0001';
    const answer = await app.request('POST', `/months/${month}/retry-missing`, { plan_id, dry_run: true });
    expect(answer.body).toMatchObject({ plan_id, dry_run: true, started: 2 });
    expect(app.neighbours.retries).toMatchObject([
      { plan_id, dry_run: true, profiles: [{}] },
      { plan_id, dry_run: true, profiles: [{}], forced_run_id: forced.run_id },
    ]);
    expect(app.neighbours.retries[0]!.forced_run_id).toBeUndefined();
  });

  it.each([
    [{ dry_run: null }, 'dry_run must be a boolean value'],
    [{ dry_run: 'yes' }, 'dry_run must be a boolean value'],
    [{ plan_id: 'x' }, 'plan_id must be a UUID'],
    [null, 'body must be an object'],
    [[], 'body must be an object'],
  ])('retries nothing for the body %j', async (body, message) => {
    await aMonth();
    expect(await app.request('POST', `/months/${month}/retry-missing`, body)).toMatchObject({
      status: 400,
      body: { message: [message] },
    });
    expect(app.neighbours.retries).toEqual([]);
  });

  it('counts each profile once after a forced run with a limit', async () => {
    const names = Array.from({ length: 15 }, (_, index) => `person-${index}`);
    await app.addPeople(names.map((name) => ({ usernames: [name] })));
    await app.runToEnd({ month });
    for (const name of names) {
      call(name, 'started');
      delivery(name);
    }
    await app.runToEnd({ month, force: true, limit: 5 });
    const report = (await app.request('GET', `/months/${month}/report`)).body;
    expect(report).toMatchObject({ selected: 15, published: 15, stored: 15, missing: 0, is_complete: true });
    // A second forced run overlaps with the first one, and newcomers follow.
    await app.runToEnd({ month, force: true, limit: 8 });
    await app.addPeople([{ usernames: ['newcomer'] }]);
    await app.runToEnd({ month });
    expect((await app.request('GET', `/months/${month}/report`)).body).toMatchObject({
      selected: 16,
      published: 16,
      stored: 15,
      missing: 1,
      missing_profiles: [{ network_username: 'newcomer' }],
    });
  });

  it('lists what is missing page by page, each once, also while a forced run publishes some again', async () => {
    const names = Array.from({ length: 34 }, (_, index) => `person-${String(index).padStart(2, '0')}`);
    await app.addPeople(names.map((name) => ({ usernames: [name] })));
    await app.runToEnd({ month });
    for (const name of names.filter((_, index) => index % 3 === 0)) delivery(name);
    const published = async (isForced: boolean) => {
      const rows = await app.query<{ message: string }>(
        'select message from run_batch join run using (run_id) where forced = $1 order by batch_number',
        [isForced],
      );
      return rows
        .flatMap(({ message }) => (JSON.parse(message) as { profiles: { network_username: string }[] }).profiles)
        .map(({ network_username }) => network_username);
    };
    const missing = (await published(false)).filter((name) => names.indexOf(name) % 3 !== 0);
    const page = async (query: string) =>
      (await app.request('GET', `/months/${month}/missing?${query}`)) as unknown as {
        status: number;
        body: { missing_profiles: { network_username: string; reason: string }[]; next_cursor: string | null };
      };
    const listed = async (limit: number, between: () => Promise<unknown> = () => Promise.resolve()) => {
      const found: string[] = [];
      let cursor: string | null = null;
      do {
        const { status, body }: Awaited<ReturnType<typeof page>> = await page(
          `limit=${limit}${cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`}`,
        );
        expect([status, body.missing_profiles.length <= limit]).toEqual([200, true]);
        if (cursor === null) await between();
        found.push(...body.missing_profiles.map(({ network_username }) => network_username));
        cursor = body.next_cursor;
      } while (cursor !== null);
      return found;
    };
    for (const limit of [1, 7, missing.length, 200]) expect(await listed(limit)).toEqual(missing);
    // The forced run takes the first four out of the batches of the first run.
    const again = await listed(3, () => app.runToEnd({ month, force: true, limit: 4 }));
    const republished = await published(true);
    expect(republished).toHaveLength(4);
    const isLeft = (name: string) => !republished.includes(name);
    expect(again.filter(isLeft)).toEqual(missing.filter(isLeft));
    expect(again).toEqual(expect.arrayContaining(republished.filter((name) => missing.includes(name))));
    const { body } = await page('limit=1');
    // The hash of the filter stays the right one.
    const sum = (JSON.parse(Buffer.from(body.next_cursor!, 'base64url').toString()) as string[]).at(-1);
    const tampered = (parts: unknown[]) => Buffer.from(JSON.stringify([...parts, sum])).toString('base64url');
    const run = '6f1f3a52-7f0a-4a51-9d3c-0a5a7a0d0001';
    for (const parts of [
      [run, 1, -1],
      [run, 2 ** 31, 0],
      [run, 1e300, 0],
      [run, 0.5, 0],
      [`${run}'`, 1, 0],
      [null, 1, 0],
      [run, 1],
    ])
      expect((await page(`cursor=${tampered(parts)}`)).status).toBe(400);
    expect((await page(`cursor=${tampered([run, 1, 0])}`)).body.missing_profiles).toEqual([]);
    for (const query of ['cursor=x', 'limit=0', 'limit=201', 'names=5']) expect((await page(query)).status).toBe(400);
    expect((await app.request('GET', '/months/2026-01/missing')).status).toBe(404);
    expect((await app.request('GET', '/months/2026-13/missing')).status).toBe(400);
  });

  it('shows which runs have selected and published a profile', async () => {
    await app.addPeople([{ usernames: ['ada'] }, { usernames: ['ada-2'] }, { usernames: ['zoë'] }]);
    const first = await app.runToEnd({ month });
    const forced = await app.runToEnd({ month, force: true });
    const of = async (name: string) => app.request('GET', `/months/${month}/profiles/${name}`);
    const selection = (run_id: unknown, isForced: boolean) => ({
      ...{ run_id, forced: isForced, batch_number: 1, is_superseded: !isForced },
      ...{ selected_at: expect.stringMatching(/Z$/), published_at: expect.stringMatching(/Z$/) },
    });
    const runs = [selection(first.run_id, false), selection(forced.run_id, true)];
    expect(await of('ADA')).toEqual({ status: 200, body: { month, network_username: 'ada', runs } });
    expect((await of('zo%C3%AB')).body).toMatchObject({ runs });
    for (const nobody of ['ad', 'da', 'person_id']) expect((await of(nobody)).body).toMatchObject({ runs: [] });
    for (const wrong of ['%00', '%ed%a0%80', 'a%2Fb', '%20']) expect((await of(wrong)).status).toBe(400);
    expect((await app.request('GET', '/months/2026-01/profiles/ada')).status).toBe(404);
    expect((await app.request('GET', '/months/2026-13/profiles/ada')).status).toBe(400);
  });

  it('lists months page by page', async () => {
    await app.addPeople([{ usernames: ['once'] }]);
    const months = ['2026-08', '2026-10', '2026-11'];
    for (const each of months) await app.runToEnd({ month: each });
    const found: string[] = [];
    let cursor = '';
    do {
      const { body } = await app.request('GET', `/months?limit=1${cursor}`);
      const { months: page, next_cursor } = body as unknown as {
        months: { month: string }[];
        next_cursor: string | null;
      };
      found.push(...page.map((each) => each.month));
      cursor = next_cursor === null ? '' : `&cursor=${encodeURIComponent(next_cursor)}`;
    } while (cursor !== '');
    expect(found).toEqual(months.toReversed());
    for (const wrong of ['x', Buffer.from('["2026-11","x"]').toString('base64url')])
      expect((await app.request('GET', `/months?cursor=${wrong}`)).status).toBe(400);
  });

  it('is 404 without a run, 400 for an invalid month, 503 while another app is away', async () => {
    expect((await app.request('GET', '/months/2026-01/report')).status).toBe(404);
    for (const wrong of ['2031', '0000-01', '2026-13', '9999-12']) {
      expect((await app.request('GET', `/months/${wrong}/report`)).status).toBe(400);
      expect((await app.request('POST', `/months/${wrong}/retry-missing`)).status).toBe(400);
    }
    await aMonth();
    app.neighbours.isUp = false;
    expect((await app.request('GET', `/months/${month}/report`)).status).toBe(503);
    app.neighbours.isUp = true;
    await eventually(async () => expect((await app.request('GET', `/months/${month}/report`)).status).toBe(200));
  });
});
