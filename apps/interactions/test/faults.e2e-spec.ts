// Each fault of the provider, all at the same time and each on a target of its own.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { CallFaultKind, Fault } from '@tradewind/provider-simulator';
import { freePort } from '@tradewind/testkit';
import { connect, createServer } from 'node:net';
import { expectAgreement } from './agreement.js';
import { InteractionsWorld, person } from './interactions-app.js';
import type { TrackerRow } from './stored-rows.types.js';

const callKinds: readonly CallFaultKind[] = [
  'latency',
  'rate_limited',
  'no_capacity',
  'error_before',
  'error_after',
  'timeout_before',
  'timeout_after',
  'reset_before',
  'reset_after',
];

/** Longer than PROVIDER_TIMEOUT_MS for a timeout, shorter for latency. */
const callFault = (on: Fault['on'], kind: CallFaultKind, times: number): Fault => ({
  on,
  kind,
  times,
  delayMs: kind === 'latency' ? 300 : 2_000,
  ...(kind === 'rate_limited' ? { retryAfterSeconds: 1 } : {}),
});

/** Each fault, and how the job ends. */
const faults: Record<string, [Fault, 'COMPLETED' | 'FAILED']> = {
  'run-fail': [{ on: 'run', kind: 'fail' }, 'FAILED'],
  'run-time-out': [{ on: 'run', kind: 'time_out' }, 'FAILED'],
  'run-empty': [{ on: 'run', kind: 'empty' }, 'COMPLETED'],
  'run-slow': [{ on: 'run', kind: 'slow', delayMs: 1_000 }, 'COMPLETED'],
  'dataset-broken-item': [{ on: 'dataset', kind: 'broken_item' }, 'COMPLETED'],
  'webhook-twice': [{ on: 'run.webhook', kind: 'twice' }, 'COMPLETED'],
  'webhook-late': [{ on: 'run.webhook', kind: 'late', delayMs: 1_000 }, 'COMPLETED'],
  'webhook-out-of-order': [{ on: 'run.webhook', kind: 'out_of_order', delayMs: 1_000 }, 'COMPLETED'],
  'webhook-never': [{ on: 'run.webhook', kind: 'never' }, 'COMPLETED'],
  'webhook-before-answer': [{ on: 'run.webhook', kind: 'before_answer' }, 'COMPLETED'],
};
for (const on of ['run.start', 'run.get', 'dataset.items'] as const) {
  for (const kind of callKinds) {
    if (on !== 'run.start' && kind === 'no_capacity') continue;
    faults[`${on}-${kind}`.replace(/[._]/g, '-')] = [callFault(on, kind, 2), 'COMPLETED'];
  }
}

describe('each fault of the provider alone', () => {
  let world: InteractionsWorld;
  let rows: Map<string, TrackerRow>;
  const handles = Object.keys(faults);

  beforeAll(async () => {
    world = await InteractionsWorld.start({
      settings: { PROVIDER_SLOTS: '64', START_PARALLEL: '32', START_ATTEMPTS: '6', ANSWER_BUDGET_MS: '1000' },
    });
    world.simulator.setFaults(handles.map((handle) => ({ ...faults[handle]![0], target: handle })));
    await world.post('/scraper/network/interactions', { user_company_id: 'acme', targets: handles.map(person) });
    rows = new Map((await world.finished()).map((row) => [row.networkUsername, row]));
  });
  afterAll(() => world.stop());

  it.each(handles)('%s: the job ends as specified, with one effective start', (handle) => {
    const [fault, status] = faults[handle]!;
    const row = rows.get(handle)!;
    expect(row.status).toBe(status);
    const starts = world.simulator.ledger({ operation: 'run.start', target: handle });
    expect(starts.filter((start) => start.effect)).toHaveLength(1);
    if (fault.on === 'run.start' && fault.kind.endsWith('_after')) expect(starts).toHaveLength(1);
  });

  it('tracker, warehouse and ledger agree', () => expectAgreement(world));
});

describe('several faults that hide a start', () => {
  let world: InteractionsWorld;
  beforeAll(async () => {
    world = await InteractionsWorld.start({ settings: { START_ATTEMPTS: '3', START_SETTLE_SILENT_MS: '2500' } });
  });
  afterAll(() => world.stop());

  it('a lost answer, a failing list and unreadable inputs together still end in one run', async () => {
    world.simulator.setFaults([
      { on: 'run.start', kind: 'reset_after', target: ['hidden-1', 'hidden-2'] },
      { on: 'run.webhook', kind: 'never' },
      { on: 'run.list', kind: 'error_before', times: 7 },
      { on: 'run.input', kind: 'error_before', times: 7 },
    ]);
    const targets = ['hidden-1', 'hidden-2', 'plain'].map(person);
    const { body } = await world.post('/scraper/network/interactions', { user_company_id: 'acme', targets });
    expect(body).toMatchObject({ message: 'Triggered 3/3 jobs successfully.' });
    await world.finished();
    await expectAgreement(world);
  });

  it('a run that appears after its call was given up is found, not started again', async () => {
    // The provider has room again, so the next refusal counts as the first.
    await world.sql.query('update "start_gateDev" set refusals = 3');
    // The call ends after one second, the run begins after two.
    world.simulator.setFaults([
      { on: 'run.start', kind: 'latency', target: 'dawdler', delayMs: 2_000, times: 1 },
      { on: 'run.webhook', kind: 'never' },
    ]);
    const { body } = await world.post('/scraper/network/interactions', {
      user_company_id: 'acme',
      targets: [person('dawdler')],
    });
    expect(body).toMatchObject({ message: 'Triggered 1/1 jobs successfully.' });
    expect(world.simulator.ledger({ operation: 'run.start', target: 'dawdler' })).toHaveLength(1);
    await world.finished();
    await expectAgreement(world);
    const { rows } = await world.sql.query('select refusals from "start_gateDev"');
    expect(rows).toEqual([{ refusals: 0 }]);
  });

  it('a start that always fails ends as FAILED with an error that reveals nothing about the provider', async () => {
    world.simulator.setFaults([{ on: 'run.start', kind: 'error_before', target: 'hopeless' }]);
    const targets = [person('hopeless'), person('fine')];
    const { body } = await world.post('/scraper/network/interactions', { user_company_id: 'acme', targets });
    expect(body).toMatchObject({
      success: true,
      message: 'Triggered 1/2 jobs successfully.',
      successful_count: 1,
      failed_count: 1,
      results: [{ success: false, error: 'The run could not be started at the provider' }, { success: true }],
    });
    expect(world.simulator.ledger({ operation: 'run.start', target: 'hopeless' })).toHaveLength(3);
    await world.finished();
    await expectAgreement(world);
  });

  it('a start that the provider refuses is not tried again', async () => {
    world.simulator.setFaults([{ on: 'run.start', kind: 'error_before', status: 403, target: 'refused' }]);
    const { body } = await world.post('/scraper/network/interactions', {
      user_company_id: 'acme',
      targets: [person('refused')],
    });
    expect(body).toMatchObject({
      success: false,
      message: 'Triggered 0/1 jobs successfully.',
      results: [{ success: false, error: 'The provider refused to start a run for this target' }],
    });
    expect(world.simulator.ledger({ operation: 'run.start', target: 'refused' })).toHaveLength(1);
    await expectAgreement(world);
  });

  it('all starts honour Retry-After', async () => {
    world.simulator.setFaults([
      { on: 'run.start', kind: 'rate_limited', target: 'first', times: 1, retryAfterSeconds: 1 },
    ]);
    await world.post('/scraper/network/interactions', { user_company_id: 'acme', targets: [person('first')] });
    const [refused, granted] = world.simulator.ledger({ operation: 'run.start', target: 'first' });
    expect(Date.parse(granted!.at) - Date.parse(refused!.at)).toBeGreaterThanOrEqual(1_000);
    await world.finished();
  });

  it('active runs never exceed the slots', async () => {
    world.simulator.setFaults([]);
    const small = await InteractionsWorld.start({ settings: { PROVIDER_SLOTS: '3' }, replicas: 2 });
    try {
      const targets = Array.from({ length: 10 }, (_, n) => person(`slot-${n}`));
      await Promise.all(
        small.replicas.map((replica, n) =>
          small.post('/scraper/network/interactions', { user_company_id: `c${n}`, targets }, {}, replica.url),
        ),
      );
      await small.finished();
      await expectAgreement(small);
      let active = 0;
      let activeMax = 0;
      const events = small.simulator.ledger().filter((entry) => entry.operation === 'run.ended' || entry.effect);
      for (const { operation } of events.toSorted((a, b) => a.seq - b.seq)) {
        if (operation === 'run.start') active += 1;
        if (operation === 'run.ended') active -= 1;
        activeMax = Math.max(activeMax, active);
      }
      expect(activeMax).toBe(3);
    } finally {
      await small.stop();
    }
  });
});

it('a provider that cannot be reached ends no job, however long it takes', async () => {
  const port = await freePort();
  const world = await InteractionsWorld.start({
    settings: { START_ATTEMPTS: '2', ANSWER_BUDGET_MS: '200', PROVIDER_BASE_URL: `http://127.0.0.1:${port}` },
  });
  const relay = createServer((inbound) => {
    const outbound = connect(Number(new URL(world.simulator.url).port), '127.0.0.1');
    inbound.pipe(outbound).pipe(inbound);
  });
  try {
    const { body } = await world.post('/scraper/network/interactions', {
      user_company_id: 'acme',
      targets: [person('patient')],
    });
    expect(body).toMatchObject({ results: [{ error: expect.stringMatching(/^PENDING: /) as unknown }] });
    // Twice as many starts as count before a job fails.
    const [waiting] = await world.until(([row]) => row?.status === 'FAILED' || row!.start_fence >= 4);
    expect(waiting).toMatchObject({ status: 'PENDING' });
    relay.listen(port, '127.0.0.1');
    expect(await world.finished()).toMatchObject([{ status: 'COMPLETED' }]);
    expect(world.simulator.ledger({ operation: 'run.start', target: 'patient' })).toHaveLength(1);
  } finally {
    await world.stop();
    relay.close();
  }
});
