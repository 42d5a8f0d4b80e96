import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { monthOf } from '@tradewind/shared-types';
import { batchOf, eventually, pushedUsernames, serviceToken, startApp, type TestApp } from './coordinator-app.js';

let app: TestApp;
const startFreshApp = async () => {
  app = await startApp();
};
const close = () => app.close();

const people = (count: number, prefix = 'person') =>
  Array.from({ length: count }, (_, index) => ({ usernames: [`${prefix}-${index}`] }));

describe('the monthly run', () => {
  beforeEach(startFreshApp);
  afterEach(close);

  it('a metric shows whether this month has been published by any process', async () => {
    const published = async () => {
      const text = await (await fetch(app.running.metricsUrl)).text();
      return /^tradewind_coordinator_month_published (\S+)$/m.exec(text)?.[1];
    };
    await app.addPeople(people(3));
    expect(await published()).toBe('0');
    await app.runToEnd({ dry_run: true });
    await app.runToEnd({ limit: 1 });
    expect(await published()).toBe('0');
    // As a command in another process would do it.
    await app.query(
      `insert into run(month, state, forced, dry_run, finished_at) values ($1, 'completed', false, false, now())`,
      [monthOf(new Date())],
    );
    expect(await published()).toBe('1');
  });

  it('publishes every priority person once, in batches of the specified form', async () => {
    const personId = randomUUID();
    await app.addPeople([
      ...people(23),
      { personId, usernames: ['Ada-Lovelace'] },
      { isPriority: false, usernames: ['not-priority'] },
      { usernames: [] },
      { usernames: [null] },
      { usernames: ['  '] },
      { usernames: ['not a handle'] },
      { usernames: ['https://www.linkedin.com/in/Grace-Hopper/?x=1'] },
      { usernames: ['GRACE-hopper', 'grace-hopper-2'] },
    ]);
    const run = await app.runToEnd();
    expect(run).toMatchObject({
      month: monthOf(new Date()),
      status: 'completed',
      selected: 26,
      without_username: 3,
      unusable_usernames: 1,
      duplicates: 1,
      total_batches: 3,
      published_batches: 3,
      published_profiles: 26,
      last_error: null,
    });
    await eventually(() => expect(app.neighbours.pushed).toHaveLength(3));
    const names = pushedUsernames(app.neighbours);
    expect(new Set(names)).toEqual(
      new Set([...people(23).map(({ usernames }) => usernames[0]), 'ada-lovelace', 'grace-hopper', 'grace-hopper-2']),
    );
    expect(names).toHaveLength(26);
    for (const [index, message] of [...app.neighbours.pushed]
      .sort((a, b) => Number(a.attributes['batch_number']) - Number(b.attributes['batch_number']))
      .entries()) {
      expect(message.attributes).toMatchObject({ batch_number: String(index + 1), total_batches: '3' });
      expect(Object.keys(batchOf(message))).toEqual(['profiles']);
      for (const profile of batchOf(message).profiles)
        expect(Object.keys(profile).sort()).toEqual(['network_username', 'person_id']);
    }
    const ada = app.neighbours.pushed
      .flatMap((message) => batchOf(message).profiles)
      .find(({ network_username }) => network_username === 'ada-lovelace');
    expect(ada).toEqual({ network_username: 'ada-lovelace', person_id: personId });
  });

  it('a second run of a month publishes nothing, and a forced one everything', async () => {
    await app.addPeople(people(15));
    const first = await app.runToEnd();
    const again = await app.request('POST', '/run');
    expect(again).toMatchObject({ status: 202, body: { outcome: 'already_published' } });
    await app.untilCompleted(again.body.run_id);
    expect((await app.request('GET', `/runs/${again.body.run_id}`)).body).toMatchObject({
      selected: 0,
      published_before: 15,
      published_profiles: 0,
    });
    expect(again.body.run_id).not.toBe(first.run_id);
    const other = await app.runToEnd({ month: '2026-01' });
    expect(other.selected).toBe(15);
    const forced = await app.runToEnd({ force: true });
    expect(forced).toMatchObject({ forced: true, selected: 15, published_profiles: 15 });
    await eventually(() => expect(app.neighbours.pushed).toHaveLength(2 + 2 + 2));
    expect(
      app.neighbours.pushed.filter(({ attributes }) => attributes['forced_run_id'] === forced.run_id),
    ).toHaveLength(2);
  });

  it('a second run of a month publishes only the people who are new since the first', async () => {
    await app.addPeople(people(15));
    await app.runToEnd();
    await app.addPeople(people(5, 'added'));
    const second = await app.runToEnd();
    expect(second).toMatchObject({ selected: 5, published_before: 15, published_profiles: 5 });
    expect(await app.runToEnd()).toMatchObject({ selected: 0, published_before: 20, published_profiles: 0 });
    await eventually(() => expect(app.neighbours.pushed).toHaveLength(2 + 1));
    expect(pushedUsernames(app.neighbours).sort()).toEqual(
      [...people(15), ...people(5, 'added')].map(({ usernames }) => usernames[0]!).sort(),
    );
  });

  it('the run after one with a limit publishes the rest of the month', async () => {
    await app.addPeople(people(30));
    const trial = await app.runToEnd({ limit: 4 });
    expect(trial).toMatchObject({ selected: 4, total_batches: 1, limit: 4 });
    const rest = await app.runToEnd();
    expect(rest).toMatchObject({ selected: 26, published_before: 4, total_batches: 3 });
    await eventually(() => expect(app.neighbours.pushed).toHaveLength(4));
    const names = app.neighbours.pushed.flatMap((message) =>
      batchOf(message).profiles.map(({ network_username }) => network_username),
    );
    expect(new Set(names).size).toBe(30);
    expect(names).toHaveLength(30);
  });

  it('a dry run counts, and publishes nothing', async () => {
    await app.addPeople(people(15));
    expect(await app.runToEnd({ dry_run: true })).toMatchObject({
      dry_run: true,
      selected: 15,
      total_batches: 2,
      published_batches: 0,
    });
    expect(await app.query('select * from run_batch')).toEqual([]);
    expect(await app.runToEnd()).toMatchObject({ dry_run: false, published_profiles: 15 });
  });

  it('completes when nobody is selected', async () => {
    expect(await app.runToEnd()).toMatchObject({ selected: 0, total_batches: 0, status: 'completed' });
  });

  it('refuses a second start while a run is under way, and names that run', async () => {
    await app.addPeople(people(400));
    const [first, ...others] = await Promise.all(Array.from({ length: 6 }, () => app.request('POST', '/run')));
    const accepted = [first!, ...others].filter(({ status }) => status === 202);
    const refused = [first!, ...others].filter(({ status }) => status === 409);
    expect(accepted.length + refused.length).toBe(6);
    expect(new Set(accepted.map(({ body }) => body.run_id)).size).toBe(1);
    expect(refused.length).toBeGreaterThan(0);
    expect(refused[0]!.body).toMatchObject({
      error: 'Conflict',
      statusCode: 409,
      message: expect.stringContaining('only one run may be at a time'),
    });
    await eventually(() => expect(app.neighbours.pushed).toHaveLength(40));
  });

  const post = (body: string, headers: Record<string, string>) =>
    fetch(`${app.url}/run`, { method: 'POST', headers: { authorization: `Bearer ${serviceToken}`, ...headers }, body });

  it.each(['application/octet-stream', 'application/json', 'application/json; charset=utf-8', 'text/plain'])(
    'takes an empty body of the type %s, as a scheduler sends it, for the plain run',
    async (contentType) => {
      const answer = await post('', { 'content-type': contentType });
      expect(answer.status).toBe(202);
      expect(await answer.json()).toMatchObject({ month: monthOf(new Date()), dry_run: false, forced: false });
    },
  );

  it('reads JSON that is announced as bytes by the same rules', async () => {
    const bytes = { 'content-type': 'application/octet-stream' };
    expect((await post('{"dry_run": null}', bytes)).status).toBe(400);
    expect((await post('{"dry_run": tru', bytes)).status).toBe(400);
    expect((await post('null', bytes)).status).toBe(400);
    expect((await post('{"dry_run": true}', { 'content-type': 'text/plain' })).status).toBe(415);
    expect((await post('dry_run=true', { 'content-type': 'application/x-www-form-urlencoded' })).status).toBe(415);
    expect(await app.query('select * from run')).toEqual([]);
    const answer = await post('{"dry_run": true}', bytes);
    expect(answer.status).toBe(202);
    expect(await answer.json()).toMatchObject({ dry_run: true });
  });

  it('lists runs and shows one', async () => {
    const run = await app.runToEnd();
    expect((await app.request('GET', '/runs')).body).toEqual({ runs: [run], next_cursor: null });
    expect((await app.request('GET', `/runs/${randomUUID()}`)).status).toBe(404);
    expect((await app.request('GET', '/runs/not-a-uuid')).status).toBe(404);
    for (const limit of ['0', '201', '1.5', 'x', '', '1&limit=2']) {
      const { status, body } = await app.request('GET', `/runs?limit=${limit}`);
      expect({ limit, status, body }).toMatchObject({
        limit,
        status: 400,
        body: { message: ['limit must be an integer from 1 to 200'] },
      });
    }
    expect((await app.request('GET', '/runs?limit=200')).status).toBe(200);
  });

  it('lists every run once, page by page, also those of one moment, and those of one month alone', async () => {
    await app.query(
      `insert into run(month, state, forced, dry_run, created_at)
       select '2026-0' || 1 + n % 2, 'completed', false, false, '2026-02-01T06:00:00.123456Z'::timestamptz
         + (n / 3) * interval '1 microsecond' from generate_series(1, 10) as n`,
    );
    const pages = async (query = '') => {
      const runs: { run_id: string; month: string }[] = [];
      for (let cursor: string | null = ''; cursor !== null;) {
        const at: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
        const { status, body } = await app.request('GET', `/runs?limit=3${query}${at}`);
        expect(status).toBe(200);
        const page = body as unknown as { runs: typeof runs; next_cursor: string | null };
        runs.push(...page.runs);
        cursor = page.next_cursor;
      }
      return runs;
    };
    const expected = await app.query<{ run_id: string; month: string }>(
      'select run_id, month from run order by created_at desc, run_id desc',
    );
    const idsOf = (runs: { run_id: string }[]) => runs.map(({ run_id }) => run_id);
    expect(idsOf(await pages())).toEqual(idsOf(expected));
    const january = expected.filter(({ month }) => month === '2026-01');
    expect(january).toHaveLength(5);
    expect(idsOf(await pages('&month=2026-01'))).toEqual(idsOf(january));
    // A cursor is good for its list alone.
    const next = String((await app.request('GET', '/runs?limit=3')).body['next_cursor']);
    const refused = ['x', `${next}&month=2026-01`, '&cursor=', Buffer.from('[1e99,"x","y"]').toString('base64url')];
    for (const cursor of refused)
      expect({ cursor, status: (await app.request('GET', `/runs?cursor=${cursor}`)).status }).toMatchObject({
        status: 400,
      });
    expect((await app.request('GET', '/runs?month=2026-13')).status).toBe(400);
  });
});

describe('a wrong request for a run', () => {
  beforeAll(startFreshApp);
  afterAll(close);

  it.each([
    [{ month: '2026-13' }, 'month must have the form YYYY-MM'],
    [{ month: 7 }, 'month must have the form YYYY-MM'],
    [{ month: '0000-01' }, expect.stringMatching(/^month must lie between 2000-01 and /)],
    [{ month: '9999-12' }, expect.stringMatching(/^month must lie between 2000-01 and /)],
    [{ month: null }, 'month must have the form YYYY-MM'],
    [{ dry_run: null }, 'dry_run must be a boolean value'],
    [{ dry_run: 0 }, 'dry_run must be a boolean value'],
    [{ dry_run: 'false' }, 'dry_run must be a boolean value'],
    [{ force: null }, 'force must be a boolean value'],
    [{ limit: 0 }, 'limit must not be less than 1'],
    [{ limit: 1_000_001 }, 'limit must not be greater than 1000000'],
    [null, 'body must be an object'],
    [[], 'body must be an object'],
    [[{ dry_run: true }], 'body must be an object'],
    ['dry_run', 'body must be an object'],
    [7, 'body must be an object'],
    [true, 'body must be an object'],
    [{ force: 'yes' }, 'force must be a boolean value'],
    [{ dryRun: true }, 'dryRun should not exist'],
  ])('is refused with 400, and there is no run: %j', async (body, message) => {
    const answer = await app.request('POST', '/run', body);
    expect(answer).toMatchObject({ status: 400, body: { message: [message], error: 'Bad Request', statusCode: 400 } });
    expect(await app.query('select * from run')).toEqual([]);
  });
});

describe('a run that another process left unfinished', () => {
  beforeEach(startFreshApp);
  afterEach(close);

  it('is resumed by a serving process, with no batch twice and none missing', async () => {
    await app.addPeople(people(50));
    await app.running.close();
    // The state after a kill between publishing a chunk and marking it: five batches, two of them marked.
    const [run] = await app.query<{ run_id: string }>(
      `insert into run(month, state, forced, dry_run, selected, total_batches, published_batches, published_profiles)
       values ('2026-11', 'publishing', false, false, 50, 5, 2, 20) returning run_id`,
    );
    await app.query(
      `insert into run_batch(run_id, batch_number, profiles, message, published_at)
       select $1, n, 10, json_build_object('profiles', (select json_agg(json_build_object('network_username', 'b' || n || '-' || k, 'person_id', gen_random_uuid())) from generate_series(1, 10) k)),
         case when n <= 2 then now() end from generate_series(1, 5) n`,
      [run!.run_id],
    );
    const { startService } = await import('@tradewind/service-kit');
    const { service } = await import('../src/service.js');
    const successor = await startService(service, { env: app.env });
    try {
      await eventually(async () => {
        expect(await app.query('select state, published_batches, published_profiles from run')).toEqual([
          { state: 'completed', published_batches: 5, published_profiles: 50 },
        ]);
        expect(app.neighbours.pushed.map(({ attributes }) => attributes['batch_number']).sort()).toEqual([
          '3',
          '4',
          '5',
        ]);
      });
    } finally {
      await successor.close();
    }
  });

  it('is selected from the beginning when it was still selecting', async () => {
    await app.addPeople(people(12));
    await app.query(
      `insert into run(run_id, month, state, forced, dry_run) values (gen_random_uuid(), '2026-11', 'selecting', false, false)`,
    );
    await app.query(`insert into selected_person select run_id, 1, gen_random_uuid(), 'left-over' from run`);
    await eventually(async () => {
      expect(await app.query('select state, selected, published_profiles from run')).toEqual([
        { state: 'completed', selected: 12, published_profiles: 12 },
      ]);
      expect(pushedUsernames(app.neighbours)).toHaveLength(12);
    });
  });
});
