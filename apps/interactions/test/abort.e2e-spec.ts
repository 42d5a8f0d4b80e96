import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { company, InteractionsWorld, person } from './interactions-app.js';

interface Answer {
  success: boolean;
  message: string;
  results: { run_id?: string; success: boolean; error: string | null; status?: string | null }[];
}

describe('POST /scraper/network/abort-run', () => {
  let world: InteractionsWorld;
  beforeAll(async () => {
    world = await InteractionsWorld.start({ settings: { PROVIDER_SLOTS: '4', ANSWER_BUDGET_MS: '3000' } });
  });
  afterEach(async () => {
    world.simulator.setFaults([]);
    await world.finished();
  });
  afterAll(() => world.stop());

  const slow = (...target: string[]) =>
    world.simulator.addFaults([{ on: 'run', kind: 'slow', target, delayMs: 6_000 }]);
  const trigger = async (...targets: object[]) =>
    (await world.post('/scraper/network/interactions', { user_company_id: 'acme', targets })).body as Answer;
  const abort = async (...targets: object[]) =>
    (await world.post('/scraper/network/abort-run', { user_company_id: 'acme', targets })).body as Answer;
  const rowOf = async (handle: string) =>
    (await world.tracker()).filter((row) => row.networkUsername === handle).at(-1)!;

  it('aborts an active run and names it, and answers that other targets have none', async () => {
    slow('runs');
    const started = await trigger(person('runs'));
    const answer = await abort(person('runs'), person('never-seen'), company('runs'));
    expect(answer).toEqual({
      success: true,
      message: 'Aborted 1/3 runs successfully.',
      user_company_id: 'acme',
      total_targets: 3,
      successful_count: 1,
      failed_count: 2,
      results: [
        {
          network_handle: 'runs',
          entity: 'PERSON',
          run_id: started.results[0]!.run_id,
          success: true,
          error: null,
          status: 'ABORTED',
        },
        {
          network_handle: 'never-seen',
          entity: 'PERSON',
          success: false,
          error: 'No pending or running run found',
          status: null,
        },
        {
          network_handle: 'runs',
          entity: 'COMPANY',
          success: false,
          error: 'No pending or running run found',
          status: null,
        },
      ],
    });
    expect(await rowOf('runs')).toMatchObject({ status: 'ABORTED', completed_date: null, posts_count: null });
  });

  it('refuses a second run while one is active, and accepts a new one after the abort', async () => {
    slow('again');
    await trigger(person('again'));
    expect(await trigger(person('again'))).toMatchObject({
      success: false,
      message: 'Triggered 0/1 jobs successfully.',
      results: [{ success: false, error: 'A run is already active for this target' }],
    });
    expect((await trigger(person('again'), person('other'))).results.map((result) => result.success)).toEqual([
      false,
      true,
    ]);
    await abort(person('again'));
    expect((await abort(person('again'))).results[0]!.error).toBe('No pending or running run found');
    world.simulator.setFaults([]);
    expect((await trigger(person('again'))).success).toBe(true);
  });

  it('leaves the runs of another company alone', async () => {
    slow('shared');
    await trigger(person('shared'));
    const { body } = await world.post('/scraper/network/interactions', {
      user_company_id: 'other',
      targets: [person('shared')],
    });
    expect((body as Answer).success).toBe(true);
    const foreign = await world.post('/scraper/network/abort-run', {
      user_company_id: 'third',
      targets: [person('shared')],
    });
    expect((foreign.body as Answer).results[0]!.error).toBe('No pending or running run found');
    await abort(person('shared'));
    await world.post('/scraper/network/abort-run', { user_company_id: 'other', targets: [person('shared')] });
  });

  it.each([
    ['SUCCEEDED', undefined],
    ['FAILED', 'fail'],
    ['TIMED-OUT', 'time_out'],
  ] as const)(
    'a run that has finished as %s, unknown to us, keeps its ending and the answer says so',
    async (status, kind) => {
      const handle = `ended-${status.toLowerCase()}`;
      world.simulator.setFaults([
        { on: 'run.webhook', kind: 'never', target: handle },
        // Our own look-ups fail, so that only the abort sees the end.
        { on: 'run.get', kind: 'error_before', target: handle },
        ...(kind ? [{ on: 'run', kind, target: handle } as const] : []),
      ]);
      await trigger(person(handle));
      await world.simulator.settled();
      const answer = await abort(person(handle));
      expect(answer).toMatchObject({
        success: false,
        message: 'Aborted 0/1 runs successfully.',
        results: [{ success: false, error: `Run already completed with status ${status}`, status }],
      });
      expect(answer.results[0]).not.toHaveProperty('run_id');
      world.simulator.setFaults([]);
      await world.finished();
      expect((await rowOf(handle)).status).toBe(status === 'SUCCEEDED' ? 'COMPLETED' : 'FAILED');
    },
  );

  it('a job that waits for a slot is aborted without a call to the provider', async () => {
    slow('slot-1', 'slot-2', 'slot-3', 'slot-4');
    await trigger(...['slot-1', 'slot-2', 'slot-3', 'slot-4'].map(person));
    const waiting = trigger(person('waits'));
    await world.until((rows) => rows.some((row) => row.networkUsername === 'waits'));
    expect(await abort(person('waits'))).toMatchObject({
      success: true,
      results: [{ success: true, error: null, status: 'ABORTED' }],
    });
    expect((await waiting).results[0]).toMatchObject({
      success: false,
      error: 'The run was aborted before it started',
    });
    await abort(...['slot-1', 'slot-2', 'slot-3', 'slot-4'].map(person));
    expect(world.simulator.ledger({ operation: 'run.start', target: 'waits' })).toEqual([]);
  });

  it('a job that is not started in time is reported as PENDING and continues', async () => {
    slow('full-1', 'full-2', 'full-3', 'full-4');
    await trigger(...['full-1', 'full-2', 'full-3', 'full-4'].map(person));
    const answer = await trigger(person('later'));
    expect(answer).toMatchObject({ success: false, message: 'Triggered 0/1 jobs successfully.' });
    expect(answer.results[0]!.error).toMatch(/^PENDING: /);
    expect(answer.results[0]).not.toHaveProperty('run_id');
    expect(await rowOf('later')).toMatchObject({ status: 'PENDING', provider_run_id: null });
    await world.finished();
    expect((await rowOf('later')).status).toBe('COMPLETED');
  });

  it('an abort during a start without an answer finds the run and aborts it', async () => {
    slow('silent-start');
    world.simulator.addFaults([{ on: 'run.start', kind: 'timeout_after', target: 'silent-start' }]);
    const starting = trigger(person('silent-start'));
    await world.until((rows) => rows.some((row) => row.networkUsername === 'silent-start' && row.stage === 'starting'));
    const answer = await abort(person('silent-start'));
    expect(answer.results[0]).toMatchObject({
      success: true,
      status: 'ABORTED',
      run_id: expect.any(String) as unknown,
    });
    await starting;
    expect(world.simulator.ledger({ operation: 'run.start', target: 'silent-start' })).toHaveLength(1);
  });

  it('an abort that the provider does not answer is reported as not confirmed, and repeated later', async () => {
    slow('deaf');
    await trigger(person('deaf'));
    world.simulator.addFaults([{ on: 'run.abort', kind: 'error_before', target: 'deaf' }]);
    const answer = await abort(person('deaf'));
    expect(answer.results[0]).toMatchObject({
      success: false,
      error: expect.stringMatching(/not confirmed/) as unknown,
      status: expect.stringMatching(/^(READY|RUNNING)$/) as unknown,
    });
    world.simulator.setFaults([]);
    await world.finished();
    expect((await rowOf('deaf')).status).toBe('ABORTED');
  });

  it('an abort and the end of the run at the same moment agree on one state, in either order', async () => {
    const handles = Array.from({ length: 12 }, (_, n) => `race-${n}`);
    const ended = new Map<string, string>();
    await Promise.all(
      handles.map(async (handle, n) => {
        await trigger(person(handle));
        await new Promise((resolve) => setTimeout(resolve, n * 20));
        const [result] = (await abort(person(handle))).results;
        ended.set(handle, result!.success ? 'ABORTED' : result!.error!);
      }),
    );
    await world.finished();
    const statuses = { ABORTED: 0, COMPLETED: 0 };
    for (const handle of handles) {
      const row = await rowOf(handle);
      const told = ended.get(handle)!;
      if (row.status === 'ABORTED') expect(told).toMatch(/^ABORTED$|not confirmed/);
      else {
        expect(row.status).toBe('COMPLETED');
        expect(told).toMatch(/^Run already completed with status SUCCEEDED$|^No pending or running run found$/);
      }
      statuses[row.status as keyof typeof statuses] += 1;
      if (row.provider_run_id) {
        const [end] = world.simulator.ledger({ operation: 'run.ended', id: row.provider_run_id });
        expect(end!.outcome).toBe(row.status === 'ABORTED' ? 'ABORTED' : 'SUCCEEDED');
      }
    }
    expect(statuses.ABORTED + statuses.COMPLETED).toBe(handles.length);
  });

  it('a provider that is silent about an abort delays the answer no longer than the budget, and no other target', async () => {
    // This replica waits long for the provider; the others take over its job.
    const { url } = await world.addReplica({ PROVIDER_TIMEOUT_MS: '30000' });
    slow('silent', 'talks');
    await trigger(person('silent'), person('talks'));
    world.simulator.addFaults([{ on: 'run.abort', kind: 'timeout_before', target: 'silent', delayMs: 20_000 }]);
    const startedMs = performance.now();
    const body = { user_company_id: 'acme', targets: [person('silent'), person('talks')] };
    const answer = (await world.post('/scraper/network/abort-run', body, {}, url)).body as Answer;
    // The budget is 3 s; the call itself ends after 20.
    expect(performance.now() - startedMs).toBeLessThan(15_000);
    expect(answer).toMatchObject({
      message: 'Aborted 1/2 runs successfully.',
      results: [
        { success: false, error: expect.stringMatching(/not confirmed/) as unknown },
        { success: true, status: 'ABORTED' },
      ],
    });
  });
});
