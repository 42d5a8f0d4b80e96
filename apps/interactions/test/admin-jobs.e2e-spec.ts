// Administration of jobs over REST: timelines, search, starting failed jobs again, aborting many.
import { createHash, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { ProviderCalls } from '../src/tracker/provider-calls.js';
import type { JobId } from '../src/tracker/tracker.types.js';
import { InteractionsWorld, person } from './interactions-app.js';

interface Entry {
  at: string;
  last_at: string;
  times: number;
  kind: string;
  details: Record<string, unknown>;
}

interface Bulk {
  dry_run: boolean;
  matched: number;
  jobs: { job_id: string; network_handle: string; outcome: string; new_job_id: string | null }[];
  cost_usd_max: number;
  expected_cost_usd: number;
  next_cursor: string | null;
}

describe('administration of jobs', () => {
  let world: InteractionsWorld;
  beforeAll(async () => {
    world = await InteractionsWorld.start({
      settings: { PROVIDER_SLOTS: '50', COST_SETTLE_SECONDS: '1', WEBHOOK_SECRETS: 'new-secret' },
    });
  });
  beforeEach(async () => {
    await world.finished();
    await world.empty();
  });
  afterAll(() => world.stop());

  const trigger = (handles: readonly string[], companyId = 'acme', more: object = {}) =>
    world.post('/scraper/network/interactions', {
      ...{ user_company_id: companyId, targets: handles.map(person), trigger_user_id: 'ada' },
      ...more,
    });
  const fail = (...target: string[]) => world.simulator.addFaults([{ on: 'run', kind: 'fail', target }]);
  const slow = (...target: string[]) =>
    world.simulator.addFaults([{ on: 'run', kind: 'slow', target, delayMs: 60_000 }]);
  const bulk = async (action: 're-run' | 'abort', body: object) => {
    const answer = await world.post(`/admin/jobs/${action}`, body);
    return { status: answer.status, ...(answer.body as Bulk) };
  };
  const outcomes = ({ jobs }: Bulk) =>
    Object.fromEntries(jobs.map(({ network_handle, outcome }) => [network_handle, outcome]));
  const timelineOf = async (jobId: string): Promise<Entry[]> => {
    const entries: Entry[] = [];
    let cursor = '';
    do {
      const { status, body } = await world.get(`/admin/jobs/${jobId}/timeline?limit=3${cursor}`);
      expect(status).toBe(200);
      const page = body as { timeline: Entry[]; next_cursor: string | null };
      entries.push(...page.timeline);
      cursor = page.next_cursor === null ? '' : `&cursor=${encodeURIComponent(page.next_cursor)}`;
    } while (cursor !== '');
    return entries;
  };
  const failed = async (...handles: string[]) => {
    fail(...handles);
    await trigger(handles);
    const rows = await world.finished();
    world.simulator.setFaults([]);
    return rows.filter(({ status }) => status === 'FAILED');
  };

  it('shows every transition, provider call and webhook of a job, with time', async () => {
    await trigger(['ada']);
    const [job] = await world.finished();
    await world.inboxProcessed();
    const entries = await timelineOf(job!.job_id);
    const of = (kind: string) => entries.filter((entry) => entry.kind === kind).map(({ details }) => details);
    expect(of('transition').map(({ stage, status }) => [stage, status])).toEqual(
      expect.arrayContaining([
        ['queued', 'PENDING'],
        ['starting', 'PENDING'],
        ['storing', 'RUNNING'],
        ['done', 'COMPLETED'],
      ]),
    );
    expect(of('transition').at(-1)).toEqual({
      ...{ stage: 'done', status: 'COMPLETED', run_id: job!.provider_run_id, run_status: 'SUCCEEDED' },
    });
    expect(of('provider_call')).toEqual(
      expect.arrayContaining([
        { operation: 'start', outcome: 'started', run_id: job!.provider_run_id, ms: expect.any(Number) },
        { operation: 'items', outcome: 'found', run_id: job!.provider_run_id, ms: expect.any(Number) },
      ]),
    );
    expect(of('webhook').map(({ outcome }) => outcome)).toEqual(
      expect.arrayContaining(['received', expect.stringMatching(/^(applied|ignored)$/)]),
    );
    for (const { at } of entries) expect(Math.abs(Date.now() - Date.parse(at))).toBeLessThan(60_000);
  });

  it('has in the timeline that a start failed, an abort was asked for, and why a job failed', async () => {
    world.simulator.addFaults([{ on: 'run.start', kind: 'error_before', target: 'refused', times: 1 }]);
    slow('refused');
    await trigger(['refused']);
    await world.post('/scraper/network/abort-run', { user_company_id: 'acme', targets: [person('refused')] });
    const [aborted] = await world.finished();
    const details = (await timelineOf(aborted!.job_id)).map((entry) => entry.details);
    expect(details).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ abort_requested: true }),
        expect.objectContaining({ stage: 'done', status: 'ABORTED' }),
      ]),
    );
    expect(details.filter(({ operation }) => operation === 'start').length).toBeGreaterThan(1);
    const [job] = (await failed('fails')).filter(({ networkUsername }) => networkUsername === 'fails');
    expect((await timelineOf(job!.job_id)).map((entry) => entry.details)).toEqual(
      expect.arrayContaining([expect.objectContaining({ status: 'FAILED', error: expect.any(String) })]),
    );
  });

  it('has repeated looks, and repeated and refused webhooks, as one entry each with how often', async () => {
    slow('long');
    await trigger(['long']);
    const [job] = await world.until((rows) => rows.every(({ stage }) => stage === 'following'));
    const id = job!.job_id;
    const look = (ms: number, outcome = 'RUNNING') =>
      world.replicas[0]!.app.get(ProviderCalls).note(
        { id: id as JobId, providerRunId: 'r' },
        { operation: 'look', outcome, startedMs: performance.now() - ms },
      );
    const before = (await timelineOf(id)).length;
    await Promise.all([look(10, 'READY'), look(20, 'READY'), look(30), look(40)]);
    // By another statement.
    await Promise.all([look(50), look(60), look(70)]);
    await look(80, 'READY');
    const entries = (await timelineOf(id)).slice(before).filter(({ details }) => details['run_id'] === 'r');
    expect(entries.map(({ times, details }) => [details['outcome'], times])).toEqual([
      ['READY', 2],
      ['RUNNING', 5],
      ['READY', 1],
    ]);
    expect(Date.parse(entries[1]!.last_at)).toBeGreaterThanOrEqual(Date.parse(entries[1]!.at));
    expect(entries[1]!.details['ms']).toBeGreaterThanOrEqual(70);
    const webhook = (body: object, headers = {}) =>
      world.post('/scraper/network/webhook', body, { 'x-webhook-secret': 'new-secret', ...headers });
    const completion = { eventType: 'ACTOR.RUN.SOMETHING', resource: { id: job!.provider_run_id } };
    for (let count = 0; count < 4; count += 1) expect((await webhook(completion)).status).toBe(200);
    await world.inboxProcessed();
    const refused = await webhook({ eventType: 'ACTOR.RUN.SUCCEEDED' }, { 'x-correlation-id': id });
    expect(refused.status).toBe(400);
    const unknown = randomUUID();
    expect((await webhook({}, { 'x-correlation-id': unknown })).status).toBe(400);
    const webhooks = (await timelineOf(id)).filter(({ kind }) => kind === 'webhook');
    const times = (outcome: string) =>
      webhooks.filter(({ details }) => details['outcome'] === outcome).reduce((sum, { times }) => sum + times, 0);
    expect([times('received'), times('repeated'), times('refused')]).toEqual([1, 3, 1]);
    expect(webhooks.find(({ details }) => details['outcome'] === 'refused')!.details).toEqual({
      outcome: 'refused',
      reason: 'resource.id must be the id of a run',
    });
    const { rowCount } = await world.sql.query('select from "job_timelineDev" where job_id = $1', [unknown]);
    expect(rowCount).toBe(0);
    await world.post('/scraper/network/abort-run', { user_company_id: 'acme', targets: [person('long')] });
  });

  it('takes the timeline of a job away with it', async () => {
    await trigger(['old']);
    // What its last webhook and the reading of its cost write would come after it.
    const [job] = await world.until((rows) => rows.every((row) => row.stage === 'done' && row.cost_due_at === null));
    await world.inboxProcessed();
    await world.sql.query(`update "network_interactions_trackerDev" set created_at = now() - interval '40 days'`);
    const keeping = await world.addReplica({ JOB_KEEP_DAYS: '30' });
    await world.until((rows) => rows.length === 0);
    const { rowCount } = await world.sql.query('select from "job_timelineDev" where job_id = $1', [job!.job_id]);
    expect(rowCount).toBe(0);
    await keeping.close();
    world.replicas.pop();
  });

  it('finds jobs by the beginning of their handle in any case, page by page', async () => {
    await world.sql.query(
      `insert into "network_interactions_trackerDev" (job_id, "networkUsername", "entityType", status, user_company_id,
          target_key, input, stage)
       select gen_random_uuid(), handle, 'PERSON', case when n % 2 = 0 then 'FAILED' else 'ABORTED' end,
              case when n % 3 = 0 then 'globex' else 'acme' end, 'PERSON:' || lower(handle), '{"maxPosts":1}', 'done'
         from generate_series(1, 24) n,
              lateral (select (array['Ada-L', 'ada', 'ADAM', 'ad_a', 'ad%', 'bob'])[n % 6 + 1] as handle) h`,
    );
    const found = async (query: string) => {
      const handles: string[] = [];
      let cursor = '';
      do {
        const { status, body } = await world.get(`/admin/jobs?limit=3&${query}${cursor}`);
        expect(status).toBe(200);
        const page = body as { jobs: { network_handle: string }[]; next_cursor: string | null };
        handles.push(...page.jobs.map((job) => job.network_handle));
        cursor = page.next_cursor === null ? '' : `&cursor=${encodeURIComponent(page.next_cursor)}`;
      } while (cursor !== '');
      return handles;
    };
    const four = (...handles: string[]) => handles.flatMap((handle) => Array<string>(4).fill(handle));
    expect(await found('search=ADA')).toEqual(four('ada', 'Ada-L', 'ADAM'));
    expect(await found('search=ad_')).toEqual(four('ad_a'));
    expect(await found('search=ad%25')).toEqual(four('ad%'));
    expect(await found('search=zed')).toEqual([]);
    expect((await found('search=ad&user_company_id=globex')).length).toBeLessThan(20);
    expect(await found('search=bob&status=FAILED,ABORTED')).toEqual(four('bob'));
  });

  it('says what a re-run would start and cost, and changes nothing', async () => {
    const jobs = await failed('a', 'b');
    const before = await world.tracker();
    const plan = await bulk('re-run', {});
    expect(plan).toMatchObject({ status: 200, dry_run: true, matched: 2, next_cursor: null });
    expect(outcomes(plan)).toEqual({ a: 'would_start', b: 'would_start' });
    expect(plan.cost_usd_max).toBeGreaterThan(0);
    const costs = jobs.map(({ cost_micro_usd }) => Number(cost_micro_usd) / 1e6);
    expect(plan.expected_cost_usd).toBeCloseTo(costs[0]! + costs[1]!, 5);
    expect(await world.tracker()).toEqual(before);
    // The runs of companies say nothing about those of persons.
    await world.sql.query(
      `insert into "network_interactions_trackerDev" (job_id, "networkUsername", "entityType", status, user_company_id,
          target_key, input, stage, cost_micro_usd)
       select gen_random_uuid(), 'big', 'COMPANY', 'ABORTED', 'acme', 'COMPANY:big', '{"maxPosts":1}', 'done', 9000000
         from generate_series(1, 200)`,
    );
    expect((await bulk('re-run', {})).expected_cost_usd).toBe(plan.expected_cost_usd);
  });

  it('starts a failed job again once, however often and by however many it is asked', async () => {
    const [job] = await failed('again');
    const answers = await Promise.all(Array.from({ length: 6 }, () => bulk('re-run', { dry_run: false })));
    const started = answers.flatMap(({ jobs }) => jobs).filter(({ outcome }) => outcome === 'started');
    expect(started).toEqual([expect.objectContaining({ job_id: job!.job_id, new_job_id: expect.any(String) })]);
    const rows = await world.finished();
    const again = rows.find(({ job_id }) => job_id === started[0]!.new_job_id)!;
    expect(again).toMatchObject({ status: 'COMPLETED', trigger_user_id: 'ada', user_company_id: 'acme' });
    expect(again.input).toEqual(job!.input);
    expect(rows).toHaveLength(2);
    expect(await bulk('re-run', { dry_run: false })).toMatchObject({ matched: 0, jobs: [] });
    expect(world.simulator.ledger().filter(({ operation }) => operation === 'run.start')).toHaveLength(2);
  });

  it('leaves out targets that are active, and takes only what the filter and the page name', async () => {
    const jobs = await failed('one', 'two', 'three');
    slow('two');
    await trigger(['two']);
    expect(outcomes(await bulk('re-run', {}))).toEqual({ one: 'would_start', two: 'active', three: 'would_start' });
    expect(outcomes(await bulk('re-run', { network_handle: 'one' }))).toEqual({ one: 'would_start' });
    expect(outcomes(await bulk('re-run', { user_company_id: 'globex' }))).toEqual({});
    expect(outcomes(await bulk('re-run', { entity: 'COMPANY' }))).toEqual({});
    expect(outcomes(await bulk('re-run', { created_before: '2020-01-01T00:00:00Z' }))).toEqual({});
    const ofThree = jobs.find(({ networkUsername }) => networkUsername === 'three')!.job_id;
    expect(outcomes(await bulk('re-run', { job_ids: [ofThree, randomUUID()] }))).toEqual({ three: 'would_start' });
    const first = await bulk('re-run', { limit: 2, dry_run: false });
    expect(first.jobs).toHaveLength(2);
    const second = await bulk('re-run', { limit: 2, dry_run: false, cursor: first.next_cursor });
    expect([...first.jobs, ...second.jobs].map(({ outcome }) => outcome).toSorted()).toEqual([
      ...['active', 'started', 'started'],
    ]);
    await bulk('abort', { dry_run: false });
  });

  it('starts no more than the budget of the company has room for', async () => {
    const limits = { max_posts: 10, scrape_reactions: false, scrape_comments: false };
    fail('x', 'y', 'z');
    await trigger(['x', 'y', 'z'], 'acme', limits);
    await world.finished();
    world.simulator.setFaults([]);
    const { cost_usd_max: all } = await bulk('re-run', {});
    const spent = (await world.get('/admin/budgets/acme')).body as { spent_usd: number };
    const budget_usd = Math.round((spent.spent_usd + (all / 3) * 1.5) * 1e6) / 1e6;
    await fetch(`${world.url}/admin/budgets/acme`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ budget_usd }),
    });
    const plan = await bulk('re-run', {});
    expect(Object.values(outcomes(plan)).toSorted()).toEqual(['over_budget', 'over_budget', 'would_start']);
    expect(plan.cost_usd_max).toBeCloseTo(all / 3, 6);
    const act = await bulk('re-run', { dry_run: false });
    expect(Object.values(outcomes(act)).toSorted()).toEqual(['over_budget', 'over_budget', 'started']);
    expect((await world.tracker()).filter(({ stage }) => stage !== 'done').length).toBeLessThan(2);
  });

  it('aborts the active jobs of a filter, those that wait and those that run, and no other', async () => {
    slow('p', 'q', 'r');
    await trigger(['p', 'q']);
    await trigger(['r'], 'globex');
    const plan = await bulk('abort', { user_company_id: 'acme' });
    expect([plan.dry_run, plan.matched, outcomes(plan)]).toEqual([true, 2, { p: 'would_abort', q: 'would_abort' }]);
    expect((await world.tracker()).every(({ stage }) => stage !== 'done')).toBe(true);
    const acts = await Promise.all([1, 2].map(() => bulk('abort', { user_company_id: 'acme', dry_run: false })));
    const requested = acts.flatMap(({ jobs }) => jobs).filter(({ outcome }) => outcome === 'abort_requested');
    expect(requested.map(({ network_handle }) => network_handle).toSorted()).toEqual(['p', 'q']);
    const rows = await world.until((all) => all.filter(({ stage }) => stage === 'done').length === 2, 10_000);
    expect(rows.map(({ networkUsername, status }) => [networkUsername, status]).toSorted()).toEqual([
      ['p', 'ABORTED'],
      ['q', 'ABORTED'],
      ['r', expect.stringMatching(/^(PENDING|RUNNING)$/)],
    ]);
    await bulk('abort', { dry_run: false });
  });

  it.each<[string, object | string, string]>([
    ['re-run', { dry_run: null }, 'dry_run must be a boolean value'],
    ['re-run', { dry_run: 'no' }, 'dry_run must be a boolean value'],
    ['re-run', { job_ids: [] }, 'job_ids must contain at least 1 elements'],
    ['re-run', { job_ids: ['x'] }, 'job_ids: each value must be a UUID'],
    ['re-run', { job_ids: Array(201).fill(randomUUID()) }, 'job_ids must contain no more than 200 elements'],
    ['re-run', { user_company_id: 'a\0' }, 'user_company_id must be'],
    ['re-run', { network_handle: '' }, 'network_handle must be'],
    ['re-run', { limit: 0 }, 'limit must be'],
    ['re-run', { limit: 201 }, 'limit must be'],
    ['re-run', { cursor: 'x' }, 'cursor must be'],
    ['re-run', { created_from: '2026-W10' }, 'created_from must be'],
    ['re-run', { status: 'FAILED' }, 'status should not exist'],
    ['re-run', '[]', 'body must be an object'],
    ['abort', '', ''],
    ['abort', { limit: 1.5 }, 'limit must be'],
  ])('refuses to %s with %j', async (action, body, message) => {
    const answer = await world.post(`/admin/jobs/${action}`, body);
    expect([answer.status, [(answer.body as { message: string }).message].flat().join()]).toEqual([
      400,
      expect.stringContaining(message),
    ]);
  });

  it.each([
    ['', 'search must be'],
    ['search=', 'search must be'],
    ['search=%00', 'search must be'],
    [`search=${'a'.repeat(300)}`, 'search must be'],
    ['search=a&status=NONE', 'status: each value must be'],
    ['search=a&cursor=x', 'cursor must be'],
    ['search=a&limit=0', 'limit must be'],
    ['search=a&page=1', 'page should not exist'],
  ])('refuses a search with %s', async (query, message) => {
    const { status, body } = await world.get(`/admin/jobs?${query}`);
    expect([status, [(body as { message: string }).message].flat().join()]).toEqual([
      400,
      expect.stringContaining(message),
    ]);
  });

  it.each(['re-run', 'abort'])('refuses to %s from a cursor whose time was changed by hand', async (action) => {
    const sum = createHash('sha256')
      .update(JSON.stringify([action, {}]))
      .digest('base64url')
      .slice(0, 12);
    const cursor = (time: number) => Buffer.from(JSON.stringify([time, randomUUID(), sum])).toString('base64url');
    expect((await world.post(`/admin/jobs/${action}`, { cursor: cursor(Date.now()) })).status).toBe(200);
    for (const time of [-8.64e15, -1, 8.64e15, 1e300])
      expect((await world.post(`/admin/jobs/${action}`, { cursor: cursor(time) })).status).toBe(400);
  });

  it('has no timeline of a job that is none', async () => {
    expect((await world.get(`/admin/jobs/${randomUUID()}/timeline`)).status).toBe(404);
    for (const id of ['x', '%00', '1'.repeat(300)])
      expect((await world.get(`/admin/jobs/${id}/timeline`)).status).toBe(400);
    await trigger(['own', 'other']);
    const [one, other] = await world.finished();
    const page = (await world.get(`/admin/jobs/${one!.job_id}/timeline?limit=1`)).body as { next_cursor: string };
    const cursor = encodeURIComponent(page.next_cursor);
    expect((await world.get(`/admin/jobs/${other!.job_id}/timeline?cursor=${cursor}`)).status).toBe(400);
  });
});
