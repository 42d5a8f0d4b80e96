// Administration of dead letters over REST.
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import pg from 'pg';
import { AppEvents } from '../src/events.js';
import { DeadLetterRedrive } from '../src/batches/dead-letter-redrive.js';
import { eventually, profiles, serviceToken, startApp, type TestApp } from './priority-api-app.js';

interface Letter {
  id: string;
  message_id: string;
  reason: string;
  state: string;
  handled_by: string | null;
  drop_reason: string | null;
  content: unknown;
  content_kind: string;
  corrected_content: unknown;
  profiles_triggered: number;
  message: string[];
}

describe('administration of dead letters', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startApp({ PROFILE_COST_USD: '0.02' });
  });
  afterAll(() => app.close());

  const send = async (method: string, path: string, body?: unknown) => {
    const response = await fetch(`${app.url}/admin/dead-letters${path}`, {
      method,
      headers: {
        authorization: `Bearer ${serviceToken}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    return { status: response.status, body: (await response.json()) as Letter };
  };
  const list = async (query = ''): Promise<Letter[]> => {
    const letters: Letter[] = [];
    let cursor = '';
    do {
      const { status, body } = await send('GET', `?limit=2${query}${cursor}`);
      expect(status).toBe(200);
      const page = body as unknown as { dead_letters: Letter[]; next_cursor: string | null };
      letters.push(...page.dead_letters);
      cursor = page.next_cursor === null ? '' : `&cursor=${encodeURIComponent(page.next_cursor)}`;
    } while (cursor !== '');
    return letters;
  };
  const bad = async (batch: Parameters<TestApp['push']>[0]): Promise<Letter> => {
    await app.push(batch);
    return (await list())[0]!;
  };
  const startsOf = (handle: string) =>
    app.simulator.ledger().filter(({ operation, target }) => operation === 'profile.start' && target === handle).length;

  it('shows what came, decoded, and why it could not be used', async () => {
    const json = await bad({ profiles: [], messageId: 'shown-json' });
    expect((await send('GET', `/${json.id}`)).body).toEqual({
      ...{ id: json.id, message_id: 'shown-json', reason: 'profiles must be a list with at least one profile' },
      ...{ deliveries: 1, state: 'open', handled_at: null, handled_by: null, drop_reason: null },
      ...{ first_received_at: expect.stringMatching(/Z$/), last_received_at: expect.stringMatching(/Z$/) },
      ...{ attributes: { batch_number: '7', total_batches: '9' }, content_kind: 'json', content: { profiles: [] } },
      ...{ corrected_content: null, kept_sha256: null, received_sha256: null },
    });
    const text = await bad({ data: Buffer.from('no JSON').toString('base64') });
    expect((await send('GET', `/${text.id}`)).body).toMatchObject({ content_kind: 'text', content: 'no JSON' });
    const odd = await bad({ data: '!!!' });
    expect((await send('GET', `/${odd.id}`)).body).toMatchObject({ content_kind: 'not_decodable', content: '!!!' });
  });

  it('lists each once, latest first, and those that were handled only when asked', async () => {
    for (let count = 0; count < 3; count += 1) await bad({ profiles: [], messageId: `listed-${count}` });
    const open = await list();
    const ids = open.map(({ id }) => Number(id));
    expect(ids).toEqual(ids.toSorted((a, b) => b - a));
    expect(new Set(ids).size).toBe(ids.length);
    const attention = async () =>
      (await fetch(`${app.url}/admin/attention`, { headers: { authorization: `Bearer ${serviceToken}` } })).json();
    expect(await attention()).toEqual({ open_dead_letters: open.length, lost_profiles: 0 });
    await send('POST', `/${open[0]!.id}/drop`, { reason: 'a test' });
    await app.query(
      `insert into profile_call(month, network_username, generation, person_id, state, correlation_id, due_at, started_at,
         lost_at)
       select '2026-10', 'lost-' || n, 'monthly', gen_random_uuid(), 'started', 'lost-' || n, 'infinity', now(),
         case when n > 1 then now() end from generate_series(1, 3) as n`,
    );
    expect(await attention()).toEqual({ open_dead_letters: open.length - 1, lost_profiles: 2 });
    expect((await list()).map(({ id }) => id)).not.toContain(open[0]!.id);
    expect(await list('&with_handled=true')).toContainEqual(
      expect.objectContaining({ id: open[0]!.id, state: 'dropped', handled_by: 'test', drop_reason: 'a test' }),
    );
  });

  it('receives a corrected message once, and says who corrected what', async () => {
    const letter = await bad({ profiles: [{ network_username: 'to-correct', person_id: 'x' }] });
    const content = { profiles: [{ ...profiles(1)[0], network_username: 'to-correct' }] };
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => send('POST', `/${letter.id}/redrive`, { content })),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409, 409]);
    expect((await send('POST', `/${letter.id}/redrive`, { content })).status).toBe(409);
    expect((await send('GET', `/${letter.id}`)).body).toMatchObject({
      ...{ state: 'redriven', handled_by: 'test', corrected_content: content },
    });
    const [row] = await app.query<{ calls: number }>(
      `select count(*)::int as calls from profile_call where network_username = 'to-correct'`,
    );
    expect(row!.calls).toBe(1);
    expect(startsOf('to-correct')).toBeLessThanOrEqual(1);
  });

  it('says what a redrive would start, and changes nothing by that', async () => {
    const [known, unknown] = profiles(2, 'planned');
    expect((await app.push({ profiles: [known!] })).status).toBe(200);
    const letter = await bad({ profiles: [{ network_username: 'to-plan', person_id: 'x' }] });
    const content = { profiles: [known, unknown, unknown] };
    const rows = () => app.query('select network_username from profile_call order by 1');
    const before = await rows();
    const plan = await send('POST', `/${letter.id}/redrive`, { content, dry_run: true });
    expect(plan).toMatchObject({
      status: 200,
      body: {
        state: 'open',
        dry_run: true,
        profiles: 2,
        profiles_new: 1,
        expected_cost_usd: 0.02,
        profiles_triggered: 0,
      },
    });
    expect(await rows()).toEqual(before);
    expect((await send('GET', `/${letter.id}`)).body).toMatchObject({ state: 'open', corrected_content: null });
    // What would be refused is refused here too, with the same words.
    const refusal = await send('POST', `/${letter.id}/redrive`, { dry_run: true });
    expect(refusal.status).toBe(400);
    expect(await send('POST', `/${letter.id}/redrive`, {})).toEqual(refusal);
    expect((await send('POST', `/${letter.id}/redrive`, { content, dry_run: 'yes' })).status).toBe(400);
    expect((await send('POST', `/${letter.id}/redrive`, { content })).body).toMatchObject({
      ...{ state: 'redriven', dry_run: false, profiles: 2, profiles_new: 1, profiles_triggered: 1 },
    });
    expect((await send('POST', `/${letter.id}/redrive`, { content, dry_run: true })).status).toBe(409);
  });

  describe('while another request has claimed it', () => {
    /** Holds the profile that a redrive wants to record, so that the redrive waits with its claim. */
    const holdingProfile = async <T>(
      handle: string,
      work: (release: () => Promise<void>) => Promise<T>,
    ): Promise<T> => {
      const holder = new pg.Client({ connectionString: app.env['DATABASE_URL'] });
      await holder.connect();
      try {
        await holder.query('begin');
        await holder.query(
          `insert into priority_api.profile_call(month, network_username, generation, person_id, state, correlation_id, due_at)
           values ('2026-11', $1, 'monthly', gen_random_uuid(), 'pending', $1, now())`,
          [handle],
        );
        return await work(() => holder.query('rollback').then(() => undefined));
      } finally {
        await holder.end();
      }
    };
    const waiting = (count: number) =>
      eventually(async () => {
        const found = await app.query(
          `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
           and (query like 'insert into profile_call%' or query ilike 'update%dead_letter%')`,
        );
        expect(found).toHaveLength(count);
      });
    const letterOf = (handle: string) => bad({ profiles: [{ network_username: handle, person_id: 'x' }] });
    const redrive = (id: string, handle: string) =>
      send('POST', `/${id}/redrive`, {
        content: { profiles: [{ ...profiles(1)[0], network_username: handle }] },
        attributes: { month: '2026-11' },
      });
    const recorded = async (...handles: string[]) =>
      (await app.query('select from profile_call where network_username = any($1)', [handles])).length;

    it('another correction is refused, and buys nothing', async () => {
      const { id } = await letterOf('first-claim');
      const [first, second] = await holdingProfile('first-claim', async (release) => {
        const first = redrive(id, 'first-claim');
        await waiting(1);
        const second = redrive(id, 'second-claim');
        await waiting(2);
        await release();
        return Promise.all([first, second]);
      });
      expect([first.status, second.status]).toEqual([200, 409]);
      expect((await send('GET', `/${id}`)).body.corrected_content).toMatchObject({
        profiles: [{ network_username: 'first-claim' }],
      });
      expect([await recorded('first-claim'), await recorded('second-claim')]).toEqual([1, 0]);
      expect(startsOf('second-claim')).toBe(0);
    });

    it('a drop is refused', async () => {
      const { id } = await letterOf('not-dropped');
      const [redriven, dropped] = await holdingProfile('not-dropped', async (release) => {
        const first = redrive(id, 'not-dropped');
        await waiting(1);
        const second = send('POST', `/${id}/drop`, { reason: 'a test' });
        await waiting(2);
        await release();
        return Promise.all([first, second]);
      });
      expect([redriven.status, dropped.status]).toEqual([200, 409]);
      expect((await send('GET', `/${id}`)).body).toMatchObject({ state: 'redriven', drop_reason: null });
    });

    it('it is open again when that process ends in the middle, and nothing was bought', async () => {
      const { id } = await letterOf('cut-off');
      const cut = await holdingProfile('cut-off', async () => {
        const first = redrive(id, 'cut-off');
        await waiting(1);
        await app.query(
          `select pg_terminate_backend(pid) from pg_stat_activity
           where datname = current_database() and query like 'insert into profile_call%' and wait_event_type = 'Lock'`,
        );
        return first;
      });
      expect(cut.status).toBe(503);
      expect((await send('GET', `/${id}`)).body).toMatchObject({ state: 'open', corrected_content: null });
      expect([await recorded('cut-off'), startsOf('cut-off')]).toEqual([0, 0]);
      expect((await redrive(id, 'cut-off-again')).status).toBe(200);
      expect(startsOf('cut-off-again')).toBe(1);
    });
  });

  it('logs and keeps who redrove it, with digests of what was kept and what was received', async () => {
    const emitted = jest.spyOn(app.running.app.get(AppEvents), 'emit');
    const { id } = await bad({ profiles: [{ network_username: 'digested', person_id: 'x' }] });
    const content = { profiles: [{ ...profiles(1)[0], network_username: 'digested' }] };
    expect((await send('POST', `/${id}/redrive`, { content })).status).toBe(200);
    const [row] = await app.query<{ kept: string; received: string }>(
      `select encode(sha256(message::text::bytea), 'hex') as kept, encode(sha256(corrected::text::bytea), 'hex') as received
       from dead_letter where id = $1`,
      [id],
    );
    expect(emitted.mock.calls.filter(([event]) => event === 'dead_letter_redriven')).toEqual([
      [
        'dead_letter_redriven',
        { id, caller: 'test', corrected: true, kept_sha256: row!.kept, received_sha256: row!.received },
      ],
    ]);
    expect(row!.kept).not.toBe(row!.received);
    expect((await send('GET', `/${id}`)).body).toMatchObject({
      kept_sha256: row!.kept,
      received_sha256: row!.received,
    });
    emitted.mockRestore();
  });

  it('stays open when its profiles cannot be recorded', async () => {
    await app.query(
      `alter table profile_call add constraint no_breaker check (network_username <> 'breaker') not valid`,
    );
    const { id } = await bad({ profiles: [{ network_username: 'breaker', person_id: 'x' }], messageId: 'breaks' });
    const content = { profiles: [{ ...profiles(1)[0], network_username: 'breaker' }] };
    expect((await send('POST', `/${id}/redrive`, { content })).status).toBe(500);
    expect((await send('GET', `/${id}`)).body).toMatchObject({ state: 'open', corrected_content: null });
    expect(await app.query(`select from batch_message where message_id = 'breaks'`)).toEqual([]);
    await app.query('alter table profile_call drop constraint no_breaker');
    expect((await send('POST', `/${id}/redrive`, { content })).status).toBe(200);
    expect(startsOf('breaker')).toBe(1);
  });

  it('while the provider is down it is redriven at once, and its profile starts later', async () => {
    const { id } = await bad({ profiles: [{ network_username: 'in-outage', person_id: 'x' }] });
    app.simulator.setFaults([{ on: 'profile.start', kind: 'error_before' }]);
    const content = { profiles: [{ ...profiles(1)[0], network_username: 'in-outage' }] };
    const answer = await send('POST', `/${id}/redrive`, { content });
    app.simulator.setFaults([]);
    expect([answer.status, answer.body.state, answer.body.profiles_triggered]).toEqual([200, 'redriven', 0]);
    await eventually(() => expect(startsOf('in-outage')).toBeGreaterThan(0));
    expect((await send('POST', `/${id}/redrive`, { content })).status).toBe(409);
  });

  it('the command takes none that was handled, and changes nothing of it', async () => {
    const redrives = app.running.app.get(DeadLetterRedrive);
    const { id } = await bad({ profiles: [{ network_username: 'by-person', person_id: 'x' }] });
    const content = { profiles: [{ ...profiles(1)[0], network_username: 'by-person' }] };
    expect((await send('POST', `/${id}/redrive`, { content })).status).toBe(200);
    const before = (await send('GET', `/${id}`)).body;
    const dropped = await bad({ profiles: [], messageId: 'dropped-before-command' });
    await send('POST', `/${dropped.id}/drop`, { reason: 'a test' });
    for (const handled of [id, dropped.id]) {
      expect(await redrives.tryRedrive(handled, { by: 'operator' })).toEqual({
        id: handled,
        redriven: false,
        reason: 'It was redriven or dropped before',
      });
    }
    expect((await send('GET', `/${id}`)).body).toEqual(before);
    expect(before).toMatchObject({ handled_by: 'test', corrected_content: content });
    expect(await redrives.tryRedrive('no id', { by: 'operator' })).toMatchObject({ redriven: false });
  });

  it('takes corrected attributes, and keeps the others', async () => {
    const letter = await bad({
      profiles: profiles(1, 'attributed'),
      attributes: { batch_number: 'x', month: '2026-11' },
    });
    const answer = await send('POST', `/${letter.id}/redrive`, {
      attributes: { batch_number: '1', total_batches: '1' },
    });
    expect([answer.status, answer.body.state]).toEqual([200, 'redriven']);
    expect(await app.query(`select month from profile_call where network_username = 'attributed-0'`)).toEqual([
      { month: '2026-11' },
    ]);
  });

  it('refuses what still cannot be used, and keeps it open', async () => {
    const letter = await bad({ profiles: [], messageId: 'still-bad' });
    for (const [body, message] of [
      [{}, 'profiles must be a list with at least one profile'],
      [{ content: { profiles: [{ network_username: 'x', person_id: 'y' }] } }, 'person_id must be a UUID'],
      [{ content: { profiles: profiles(1) }, attributes: { month: '1999-01' } }, 'attributes.month'],
    ] as const) {
      const answer = await send('POST', `/${letter.id}/redrive`, body);
      expect([answer.status, answer.body.message.join()]).toEqual([400, expect.stringContaining(message)]);
    }
    expect((await send('GET', `/${letter.id}`)).body.state).toBe('open');
  });

  it('drops one once, with its reason', async () => {
    const letter = await bad({ profiles: [], messageId: 'to-drop' });
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => send('POST', `/${letter.id}/drop`, { reason: 'a test message' })),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409, 409]);
    expect((await send('POST', `/${letter.id}/redrive`, {})).status).toBe(409);
    // The same message again is counted, and stays dropped.
    await app.push({ profiles: [], messageId: 'to-drop' });
    expect((await send('GET', `/${letter.id}`)).body.state).toBe('dropped');
  });

  it('shows a profile in each month, latest first, with its retries', async () => {
    const [profile] = profiles(1, 'historian');
    const handle = profile!.network_username;
    await app.push({ profiles: [profile], attributes: { batch_number: '3', total_batches: '9', month: '2026-10' } });
    await app.push({ profiles: [profile], attributes: { batch_number: '7', total_batches: '9', month: '2026-11' } });
    const forced_run_id = '5f0c1b6e-9d3a-4c52-8a80-2f6e0f4f7a11';
    await app.push({
      profiles: [profile],
      attributes: { batch_number: '1', total_batches: '1', month: '2026-11', forced_run_id },
    });
    await app.push({ profiles: profiles(2, 'somebody-else') });
    await app.query(
      `insert into profile_retry(plan_id, month, network_username, generation, requested_by)
       values ($1, '2026-10', $2, 'monthly', 'operator')`,
      [forced_run_id, handle],
    );
    const page = async (query = '', name = handle) => {
      const response = await fetch(`${app.url}/admin/profiles/${name}/calls?limit=1${query}`, {
        headers: { authorization: `Bearer ${serviceToken}` },
      });
      return {
        status: response.status,
        ...((await response.json()) as { calls: object[]; next_cursor: string | null }),
      };
    };
    const calls: object[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const {
        status,
        calls: some,
        next_cursor,
      }: Awaited<ReturnType<typeof page>> = await page(cursor && `&cursor=${cursor}`);
      expect([status, some.length]).toEqual([200, 1]);
      calls.push(...some);
      cursor = next_cursor;
    }
    const call = (more: object) => expect.objectContaining({ state: 'started', retries: [], ...more });
    expect(calls).toEqual([
      call({ month: '2026-11', forced_run_id: null, batch_number: 7, person_id: profile!.person_id }),
      call({ month: '2026-11', forced_run_id, batch_number: 1, scrape_id: expect.any(String) }),
      call({
        ...{ month: '2026-10', batch_number: 3, started_at: expect.stringMatching(/Z$/) },
        retries: [{ plan_id: forced_run_id, retried_at: expect.stringMatching(/\.\d{3}Z$/), requested_by: 'operator' }],
      }),
    ]);
    expect(await page('', 'nobody-yet')).toEqual({ status: 200, calls: [], next_cursor: null });
    const { next_cursor } = await page();
    for (const [query, name] of [
      [`&cursor=${next_cursor}`, 'somebody-else-0'],
      ['&cursor=x', handle],
      ['&month=2026-11', handle],
      ['', '%00'],
      ['', 'a%2Fb'],
      ['', '%ed%a0%80'],
    ] as const)
      expect((await page(query, name)).status).toBe(400);
  });

  it.each<[string, string, unknown, number]>([
    ['GET', '/987654', undefined, 404],
    ['POST', '/987654/redrive', {}, 404],
    ['POST', '/987654/drop', { reason: 'x' }, 404],
    ['GET', '/x', undefined, 400],
    ['GET', '/%00', undefined, 400],
    ['GET', `/${'1'.repeat(19)}`, undefined, 400],
    ['POST', '/1/drop', {}, 400],
    ['POST', '/1/drop', { reason: null }, 400],
    ['POST', '/1/drop', { reason: ' ' }, 400],
    ['POST', '/1/drop', { reason: 'a\0' }, 400],
    ['POST', '/1/drop', { reason: 'x'.repeat(501) }, 400],
    ['POST', '/1/drop', '[]', 400],
    ['POST', '/1/redrive', { content: null }, 400],
    ['POST', '/1/redrive', { content: [] }, 400],
    ['POST', '/1/redrive', { attributes: { a: 1 } }, 400],
    ['POST', '/1/redrive', { attributes: [] }, 400],
    ['POST', '/1/redrive', { attributes: { forced_run_id: '5f0c1b6e-9d3a-4c52-8a80-2f6e0f4f7a11' } }, 400],
    ['POST', '/1/redrive', { data: 'x' }, 400],
    ['GET', '?limit=0', undefined, 400],
    ['GET', '?cursor=x', undefined, 400],
    ['GET', '?with_handled=maybe', undefined, 400],
    ['GET', '?page=1', undefined, 400],
  ])('answers %s %s with %j by %i', async (method, path, body, status) => {
    expect((await send(method, path, body)).status).toBe(status);
  });
});
