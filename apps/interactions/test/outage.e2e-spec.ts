// The database goes away in the middle of a trigger. At any moment, the answer or a repeated request names every run
// that is started, and nothing is started twice.
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Relay } from '@tradewind/testkit';
import { expectAgreement } from './agreement.js';
import { InteractionsWorld, person } from './interactions-app.js';

interface Answer {
  results: { run_id?: string; success: boolean; error: string | null }[];
}

describe('a database that goes away while jobs are started', () => {
  let world: InteractionsWorld;
  let relay: Relay;
  let url: string;
  beforeEach(async () => {
    world = await InteractionsWorld.start({ replicas: 0 });
    const database = new URL(world.database.url);
    relay = await Relay.to(database);
    database.port = String(relay.port);
    const replica = await world.addReplica({
      DATABASE_URL: database.href,
      PROVIDER_TIMEOUT_MS: '5000',
      ANSWER_BUDGET_MS: '4000',
    });
    url = replica.url;
  });
  afterEach(async () => {
    relay.up();
    await world.stop();
    relay.close();
  });

  const trigger = async (...handles: string[]) => {
    const targets = handles.map(person);
    const answer = await world.post('/scraper/network/interactions', { user_company_id: 'acme', targets }, {}, url);
    return { status: answer.status, results: (answer.body as Partial<Answer>).results ?? [] };
  };
  const startsOf = (handle: string) => world.simulator.ledger({ operation: 'run.start', target: handle, effect: true });

  it('after the start was sent: the answer names the run, and its job continues when the database is back', async () => {
    world.simulator.setFaults([{ on: 'run.start', kind: 'latency', target: ['cut-1', 'cut-2'], delayMs: 1_000 }]);
    const answering = trigger('cut-1', 'cut-2');
    await world.until((rows) => rows.length === 2 && rows.every((row) => row.stage === 'starting'));
    relay.down();
    const { status, results } = await answering;
    expect(status).toBe(200);
    expect(results).toMatchObject([
      { success: true, error: null, run_id: startsOf('cut-1')[0]!.id },
      { success: true, error: null, run_id: startsOf('cut-2')[0]!.id },
    ]);
    relay.up();
    const rows = await world.finished();
    // One statement gives them the same time, so their order is that of their ids.
    expect(rows.map((row) => [row.networkUsername, row.status, row.provider_run_id]).sort()).toEqual([
      ['cut-1', 'COMPLETED', results[0]!.run_id],
      ['cut-2', 'COMPLETED', results[1]!.run_id],
    ]);
    await expectAgreement(world);
  });

  it('before the start was sent: the answer says PENDING, and a repeated request finds the job', async () => {
    world.simulator.setFaults([{ on: 'run.start', kind: 'rate_limited', target: 'held', retryAfterSeconds: 2 }]);
    const answering = trigger('held');
    await world.until((rows) => rows.length === 1 && startsOf('held').length === 0);
    relay.down();
    const { status, results } = await answering;
    expect(status).toBe(200);
    expect(results[0]).toMatchObject({ success: false, error: expect.stringMatching(/^PENDING: /) as unknown });
    world.simulator.setFaults([]);
    relay.up();
    const repeated = await trigger('held');
    expect(repeated.results[0]!.error).toBe('A run is already active for this target');
    await world.finished();
    expect(startsOf('held')).toHaveLength(1);
    await expectAgreement(world);
  });

  it('before anything is recorded: 503, and nothing is started', async () => {
    relay.down();
    expect((await trigger('nobody')).status).toBe(503);
    relay.up();
    expect(await world.tracker()).toEqual([]);
    expect((await trigger('nobody')).results[0]!.success).toBe(true);
    expect(startsOf('nobody')).toHaveLength(1);
    await world.finished();
  });

  it('while jobs are being recorded: the answer says whether they were recorded', async () => {
    // A lock delays the statement after it was sent, and the connection breaks before the answer.
    const holder = await world.sql.connect();
    await holder.query('begin');
    await holder.query('lock table "network_interactions_trackerDev" in share mode');
    const answering = trigger('unsure-1', 'unsure-2');
    await untilBlocked();
    relay.down();
    await holder.query('commit');
    holder.release();
    setTimeout(() => relay.up(), 500);
    const { status, results } = await answering;
    expect(status).toBe(200);
    expect(results.map(({ success }) => success)).toEqual([true, true]);
    const rows = await world.finished();
    const runOf = new Map(rows.map((row) => [row.networkUsername, row.provider_run_id]));
    expect(results.map(({ run_id }) => run_id)).toEqual([runOf.get('unsure-1'), runOf.get('unsure-2')]);
    for (const handle of ['unsure-1', 'unsure-2']) expect(startsOf(handle)).toHaveLength(1);
    await expectAgreement(world);
  });

  it.each([
    [0, 'unlimited'],
    [5, 'limited'],
    [10, 'unlimited'],
    [20, 'limited'],
    [40, 'unlimited'],
    [60, 'limited'],
    [80, 'unlimited'],
    [120, 'limited'],
  ])(
    '%d ms after the request of a company whose budget is %s: the answer names every run that is started',
    async (afterMs, kind) => {
      await world.sql.query(
        `insert into "company_budgetsDev" (user_company_id, kind, budget_micro_usd, changed_by)
         values ('acme', $1, case when $1 = 'limited' then 1000000000 end, 'test')`,
        [kind],
      );
      world.simulator.setFaults([{ on: 'run.start', kind: 'latency', delayMs: 60 }]);
      const handles = Array.from({ length: 8 }, (_, index) => `moment-${afterMs}-${index}`);
      const answering = trigger(...handles);
      setTimeout(() => relay.down(), afterMs);
      setTimeout(() => relay.up(), afterMs + 700);
      const { status, results } = await answering;
      const rows = await world.finished();
      if (status !== 200) {
        expect(status).toBe(503);
        expect(rows).toEqual([]);
      } else {
        const runOf = new Map(rows.map((row) => [row.networkUsername, row.provider_run_id]));
        results.forEach(({ success, run_id, error }, index) => {
          if (success) expect(runOf.get(handles[index]!)).toBe(run_id);
          else expect(error).toMatch(/^PENDING: /);
        });
        expect(rows).toHaveLength(8);
      }
      await expectAgreement(world);
    },
  );

  /** Resolves once the insert of jobs waits for a lock. Jobs of other tests may wait for it, too. */
  async function untilBlocked(): Promise<void> {
    for (;;) {
      const { rows } = await world.sql.query(
        `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
         and query like 'insert into "network_interactions_trackerDev"%'`,
      );
      if (rows.length > 0) return;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }
});
