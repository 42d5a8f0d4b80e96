// What runs cost: recorded once, whatever the provider and its webhooks do, and counted to company and day.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Fault } from '@tradewind/provider-simulator';
import { expectAgreement } from './agreement.js';
import { InteractionsWorld, person } from './interactions-app.js';
import type { TrackerRow } from './stored-rows.types.js';

const faults: Record<string, Fault> = {
  usual: { on: 'run.webhook', kind: 'twice' },
  'without-webhook': { on: 'run.webhook', kind: 'never' },
  failed: { on: 'run', kind: 'fail' },
  'timed-out': { on: 'run', kind: 'time_out' },
  aborted: { on: 'run', kind: 'slow', delayMs: 60_000 },
};

describe('the cost of runs', () => {
  let world: InteractionsWorld;
  beforeAll(async () => {
    world = await InteractionsWorld.start({ replicas: 0, settings: { COST_SETTLE_SECONDS: '1' } });
    // Days are those of UTC, whatever the zone of the database.
    await world.setTimeZone('Pacific/Auckland');
    for (const _ of [1, 2]) await world.addReplica();
  });
  beforeEach(() => world.empty());
  afterAll(() => world.stop());

  const trigger = (userCompanyId: string, ...handles: string[]) =>
    world.post('/scraper/network/interactions', { user_company_id: userCompanyId, targets: handles.map(person) });
  const costOf = (row: TrackerRow | undefined) => Number(row!.cost_micro_usd) / 1e6;
  const ledgerCosts = () =>
    Object.fromEntries(
      world.simulator.ledger({ operation: 'run.ended' }).map(({ target, costUsd }) => [target!, costUsd!]),
    );

  it('is recorded once for each run, however it ends and however often its end is seen', async () => {
    world.simulator.setFaults(Object.entries(faults).map(([target, fault]) => ({ ...fault, target })));
    await trigger('acme', ...Object.keys(faults));
    await trigger('globex', 'usual');
    const body = { user_company_id: 'acme', targets: [person('aborted')] };
    await world.post('/scraper/network/abort-run', body, {}, world.replicas[1]!.url);
    await world.finished();
    await world.inboxProcessed();
    await world.until((rows) => rows.every((row) => row.cost_due_at === null));
    const ended = world.simulator.ledger({ operation: 'run.ended' });
    expect(ended.map(({ outcome }) => outcome).sort()).toEqual(
      ['ABORTED', 'FAILED', 'SUCCEEDED', 'SUCCEEDED', 'SUCCEEDED', 'TIMED-OUT'].sort(),
    );
    expect(Math.min(...ended.map(({ costUsd }) => costUsd!))).toBeGreaterThan(0);
    await expectAgreement(world);

    const [of] = await world.until((rows) => rows.length === 6);
    const { body: shown } = await world.get(`/scraper/network/interactions/${of!.job_id}`);
    expect(shown).toMatchObject({ cost_usd: costOf(of) });
  });

  it('is what the provider says last, and what was reserved when it says nothing', async () => {
    world.simulator.setFaults([
      { on: 'run', kind: 'late_cost', target: 'corrected', delayMs: 200 },
      { on: 'run', kind: 'no_cost', target: 'silent' },
    ]);
    await trigger('acme', 'corrected', 'silent');
    const rows = await world.until((found) => found.every((row) => row.stage === 'done' && row.cost_due_at === null));
    const byHandle = new Map(rows.map((row) => [row.networkUsername, row]));
    expect(costOf(byHandle.get('corrected'))).toBe(ledgerCosts()['corrected']);
    const silent = byHandle.get('silent')!;
    expect(silent.cost_micro_usd).toBe(silent.reserved_micro_usd);
    const [days] = Object.values(await world.companyCosts());
    const sum = rows.reduce((total, row) => total + Number(row.cost_micro_usd), 0);
    expect(Object.values(days!)).toEqual([sum]);
  });

  it.each([
    ['2028-02-29T23:59:59.999Z', '2028-02-29'],
    ['2028-03-01T00:00:00.000Z', '2028-03-01'],
    ['2026-12-31T23:59:59.999Z', '2026-12-31'],
  ])('of a job that was accepted at %s counts to that day, whenever it becomes known', async (acceptedAt, day) => {
    world.simulator.setFaults([{ on: 'run', kind: 'slow', delayMs: 300 }]);
    await trigger('acme', 'border');
    await world.sql.query('update "network_interactions_trackerDev" set created_at = $1', [acceptedAt]);
    const [row] = await world.finished();
    expect(await world.companyCosts()).toEqual({ acme: { [day]: Number(row!.cost_micro_usd) } });
  });
});
