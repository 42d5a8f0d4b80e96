// Beyond the monthly budget of a company starts are refused and nothing is bought, however many replicas are asked at
// once. The runs of these tests may cost 0.33 US dollars each, and cost less.
import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { operatorCommands } from '@tradewind/service-kit';
import { withClockOff } from '@tradewind/testkit';
import { service } from '../src/service.js';
import { expectAgreement } from './agreement.js';
import { InteractionsWorld, person } from './interactions-app.js';

interface Answer {
  success: boolean;
  message: string;
  results: { run_id?: string; success: boolean; error: string | null }[];
}

const perRunUsd = 0.33;
const hourMs = 3_600_000;

describe('budgets', () => {
  let world: InteractionsWorld;
  let month: string;
  beforeAll(async () => {
    world = await InteractionsWorld.start({
      replicas: 0,
      settings: { COMPANY_BUDGET_USD: '1', PROVIDER_SLOTS: '100', START_PARALLEL: '32' },
    });
    // Months are those of UTC, whatever the zone of the database.
    await world.setTimeZone('Pacific/Auckland');
    for (const _ of [1, 2]) await world.addReplica();
    const { rows } = await world.sql.query<{ month: string }>(
      `select to_char(now() at time zone 'UTC', 'YYYY-MM') as month`,
    );
    month = rows[0]!.month;
  });
  beforeEach(() => world.empty());
  afterAll(() => world.stop());

  const trigger = async (company: string, handles: readonly string[], replica = 0, more: object = {}) => {
    const body = { user_company_id: company, targets: handles.map(person), ...more };
    const answer = await world.post('/scraper/network/interactions', body, {}, world.replicas[replica]!.url);
    return { status: answer.status, ...(answer.body as Answer) };
  };
  const run = async (...argv: string[]): Promise<string> => {
    const { program, close } = await operatorCommands(service, { ...world.settings, COMPANY_BUDGET_USD: '1' });
    const lines: string[] = [];
    const write = jest.spyOn(process.stdout, 'write').mockImplementation((text) => lines.push(String(text)) > 0);
    try {
      await program.parseAsync(argv, { from: 'user' });
    } finally {
      write.mockRestore();
      await close();
    }
    return lines.join('');
  };
  const listed = async (company: string) => {
    const lines = (await run('budget', 'list', '--month', month, '--json')).trim().split('\n');
    return lines
      .map((line) => JSON.parse(line) as { user_company_id: string; spent_usd: number; reserved_usd: number })
      .find(({ user_company_id: id }) => id === company);
  };
  const starts = () => world.simulator.ledger({ operation: 'run.start' });
  const neverEnd = () => world.simulator.setFaults([{ on: 'run', kind: 'never_ends' }]);
  const overBudget = (of: string) =>
    expect.stringContaining(`for ${month} has no room for this run: of ${of}`) as unknown;

  it('refuses what a budget has no room for, target by target, and says why', async () => {
    neverEnd();
    const answer = await trigger('acme', ['a', 'b', 'c', 'd', 'e']);
    expect(answer).toMatchObject({ status: 200, success: true, message: 'Triggered 3/5 jobs successfully.' });
    expect(answer.results.slice(3)).toEqual(
      ['d', 'e'].map((handle) => ({
        ...person(handle),
        success: false,
        error:
          `The budget of this company for ${month} has no room for this run: of 1 US dollars ` +
          '0 are spent and 0 reserved, and the run may cost 0.33',
      })),
    );
    const again = await trigger('acme', ['a', 'f']);
    expect(again).toMatchObject({ status: 200, success: false, message: 'Triggered 0/2 jobs successfully.' });
    expect(again.results.map(({ error }) => error)).toEqual([
      'A run is already active for this target',
      overBudget('1 US dollars 0 are spent and 0.99 reserved, and the run may cost 0.33'),
    ]);
    expect(starts()).toHaveLength(3);
    expect(await world.tracker()).toHaveLength(3);
    // Another company has a budget of its own, and a request for less has room.
    expect(await trigger('globex', ['a'])).toMatchObject({ success: true });
    expect(await trigger('acme', ['g'], 1, { max_posts: 1, max_reactions: 1, max_comments: 1 })).toMatchObject({
      success: true,
    });
  });

  it('a target that is active already takes no room from the others', async () => {
    neverEnd();
    await trigger('acme', ['a']);
    const { results } = await trigger('acme', ['a', 'b', 'c']);
    expect(results.map(({ success }) => success)).toEqual([false, true, true]);
  });

  it('a request for more than the whole budget is refused before anything is done', async () => {
    expect(await trigger('acme', ['a'], 0, { max_posts: 0, posted_limit: 'week' })).toMatchObject({
      success: false,
      results: [{ error: overBudget('1 US dollars 0 are spent and 0 reserved, and the run may cost 50') }],
    });
    expect([starts(), await world.tracker()]).toEqual([[], []]);
  });

  it('what runs cost takes the place of what was reserved, however they end', async () => {
    world.simulator.setFaults([
      { on: 'run', kind: 'fail', target: 'failed' },
      { on: 'run', kind: 'never_ends', target: 'aborted' },
      { on: 'run.start', kind: 'error_before', status: 403, target: 'refused' },
    ]);
    await run('budget', 'set', 'acme', '2');
    await trigger('acme', ['usual', 'failed', 'aborted', 'refused']);
    const body = { user_company_id: 'acme', targets: [person('aborted')] };
    await world.post('/scraper/network/abort-run', body);
    await world.finished();
    await expectAgreement(world);
    const ended = world.simulator.ledger({ operation: 'run.ended' });
    expect(ended.map(({ outcome }) => outcome).sort()).toEqual(['ABORTED', 'FAILED', 'SUCCEEDED']);
    const costUsd = ended.reduce((sum, end) => sum + Math.round(end.costUsd! * 1e6), 0) / 1e6;
    expect(await listed('acme')).toMatchObject({ spent_usd: costUsd, reserved_usd: 0 });
  });

  it('of 50 starts at once on two replicas exactly those are accepted that have room, again and again', async () => {
    neverEnd();
    await run('budget', 'set', 'acme', '3.3');
    const handles = Array.from({ length: 50 }, (_, n) => `at-once-${n}`);
    const answers = await Promise.all(handles.map((handle, n) => trigger('acme', [handle], n % 2)));
    expect(answers.filter(({ success }) => success)).toHaveLength(10);
    expect(starts()).toHaveLength(10);
    expect(await listed('acme')).toMatchObject({ spent_usd: 0, reserved_usd: 3.3 });
    // The runs end and cost less than was reserved; then there is room for more, until the budget is spent.
    const running = handles.filter((_, n) => answers[n]!.success);
    await world.post('/scraper/network/abort-run', { user_company_id: 'acme', targets: running.map(person) });
    world.simulator.setFaults([]);
    await world.finished();
    for (let round = 0; ; round++) {
      const next = await Promise.all(handles.map((_, n) => trigger('acme', [`round-${round}-${n}`], n % 2)));
      await world.finished();
      const { spent_usd: spent } = (await listed('acme'))!;
      expect(spent).toBeLessThanOrEqual(3.3);
      if (next.some(({ success }) => success)) continue;
      expect(spent).toBeGreaterThan(3.3 - perRunUsd);
      break;
    }
    await expectAgreement(world);
  });

  it('a month begins at 00:00 UTC, to the millisecond', async () => {
    const spendAt = (company: string, day: string) =>
      world.sql.query(`insert into "company_costsDev" values ($1, ($2 || '')::date, 1000000)`, [company, day]);
    const { rows } = await world.sql.query<{ first: string; last: string }>(
      `select to_char(first, 'YYYY-MM-DD') as first, to_char(first - 1, 'YYYY-MM-DD') as last
       from (select date_trunc('month', now() at time zone 'UTC')::date as first) as month`,
    );
    const [{ first, last }] = rows as [{ first: string; last: string }];
    await spendAt('of-this-month', first);
    await spendAt('of-the-last', last);
    expect(await trigger('of-this-month', ['a'])).toMatchObject({ success: false });
    expect(await trigger('of-the-last', ['a'])).toMatchObject({ success: true });
    await world.finished();

    neverEnd();
    for (const [company, moment] of [
      ['reserved-last', `${last}T23:59:59.999Z`],
      ['reserved-first', `${first}T00:00:00.000Z`],
    ] as const) {
      await trigger(company, ['a', 'b', 'c']);
      await world.sql.query('update "network_interactions_trackerDev" set created_at = $1 where user_company_id = $2', [
        moment,
        company,
      ]);
    }
    expect(await trigger('reserved-first', ['d'])).toMatchObject({ success: false });
    expect(await trigger('reserved-last', ['d'])).toMatchObject({ success: true });
    expect(await listed('reserved-last')).toMatchObject({ reserved_usd: perRunUsd });
  });

  it.each([-5_000, 2_000, -40 * 24 * hourMs, 40 * 24 * hourMs])(
    'a clock that is %d ms off changes no budget and no month',
    async (offMs) => {
      neverEnd();
      expect(await trigger('acme', ['a', 'b'])).toMatchObject({ message: 'Triggered 2/2 jobs successfully.' });
      await withClockOff(offMs, async () => {
        expect(await trigger('acme', ['c', 'd'], 1)).toMatchObject({ message: 'Triggered 1/2 jobs successfully.' });
      });
      expect(await trigger('acme', ['e'])).toMatchObject({ results: [{ error: overBudget('1 US dollars 0 are') }] });
    },
  );

  it('an operator sets, shows and clears budgets, which count on every replica at once', async () => {
    neverEnd();
    const lines = (text: string) => text.split('\n').map((line) => line.trim().split(/ {2,}/));
    expect(lines(await run('budget', 'list'))).toEqual([
      ['Nothing here: no company has a budget of its own, or costs in this month.'],
      [''],
    ]);
    expect(lines(await run('budget', 'set', 'acme', '0'))[1]).toEqual([
      'acme',
      '0.00',
      'operator',
      '0.00',
      '0.00',
      '0.00',
    ]);
    for (const replica of [0, 1]) expect(await trigger('acme', ['a'], replica)).toMatchObject({ success: false });
    await run('budget', 'set', 'acme', 'unlimited');
    expect(await trigger('acme', ['a', 'b', 'c', 'd'])).toMatchObject({ message: 'Triggered 4/4 jobs successfully.' });
    expect(lines(await run('budget', 'clear', 'acme'))[1]).toEqual(['acme', '1.00', 'setting', '0.00', '1.32', '0.00']);
    expect(await trigger('acme', ['e'])).toMatchObject({ success: false });
    const shown = await run('budget', 'show', 'acme', '--month', month);
    expect(shown).toContain('No runs cost anything in this month.');
    const changes = lines(shown).filter(([, by, ...rest]) => by === 'operator' && rest.length === 1);
    expect(changes.map(([, , budget]) => budget)).toEqual(['setting', 'unlimited', '0.00']);
    await expect(run('budget', 'set', 'acme', '-1')).rejects.toThrow('the budget must be an amount in US dollars');
    await expect(run('budget', 'list', '--month', '2026-13')).rejects.toThrow('--month must have the form YYYY-MM');
  });

  it('refusals are counted, and the share that is spent is a gauge', async () => {
    await run('budget', 'set', 'acme', '4');
    await world.sql.query(
      `insert into "company_costsDev" values ('acme', (now() at time zone 'UTC')::date, 3400000), ('rich', now()::date, 1)`,
    );
    await run('budget', 'set', 'rich', 'unlimited');
    await trigger('acme', ['a', 'b', 'c']);
    await world.finished();
    const metrics = await (await fetch(world.replicas[0]!.metricsUrl)).text();
    const valueOf = (name: string) =>
      Number(new RegExp(`^tradewind_interactions_${name} (.*)$`, 'm').exec(metrics)?.[1]);
    expect(valueOf('start_over_budget_total')).toBeGreaterThanOrEqual(2);
    expect(valueOf('budget_spent_ratio_max')).toBeGreaterThanOrEqual(0.85);
    expect(valueOf('budget_spent_ratio_max')).toBeLessThan(1);
  });
});
