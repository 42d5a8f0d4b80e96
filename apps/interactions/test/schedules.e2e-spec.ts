// Random schedules of triggers, aborts and replayed webhooks on two replicas, while the provider fails in random ways.
// In the end tracker, warehouse and ledger must agree. A failure prints seed, path and schedule; SCHEDULES and
// SCHEDULE_SEED run more; SCHEDULE_SEED and SCHEDULE_PATH repeat one.
import { afterAll, beforeAll, describe, it } from '@jest/globals';
import type { Fault } from '@tradewind/provider-simulator';
import fc from 'fast-check';
import { setTimeout as delay } from 'node:timers/promises';
import { expectAgreement } from './agreement.js';
import { InteractionsWorld, person } from './interactions-app.js';

const schedules = Number(process.env['SCHEDULES'] ?? 4);
const seed = Number(process.env['SCHEDULE_SEED'] ?? 20261121);
const path = process.env['SCHEDULE_PATH'];
/** Time for all work to end: far more than the longest chain of retries, even when commits take seconds. */
const restWithinMs = 300_000;

const handles = Array.from({ length: 8 }, (_, n) => `page-${n}`);
const companies = ['acme', 'globex'];

type Step =
  | { act: 'trigger' | 'abort'; replica: number; company: string; handles: string[] }
  | { act: 'replay'; replica: number; pick: number; eventType: string }
  | { act: 'wait'; ms: number };

const replica = fc.integer({ min: 0, max: 1 });
const company = fc.constantFrom(...companies);
const someHandles = fc.uniqueArray(fc.constantFrom(...handles), { minLength: 1, maxLength: 6 });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ act: fc.constant('trigger' as const), replica, company, handles: someHandles }) },
  { weight: 2, arbitrary: fc.record({ act: fc.constant('abort' as const), replica, company, handles: someHandles }) },
  {
    weight: 2,
    arbitrary: fc.record({
      act: fc.constant('replay' as const),
      replica,
      pick: fc.nat(),
      eventType: fc.constantFrom('ACTOR.RUN.SUCCEEDED', 'ACTOR.RUN.FAILED', 'ACTOR.RUN.ABORTED'),
    }),
  },
  { weight: 3, arbitrary: fc.record({ act: fc.constant('wait' as const), ms: fc.integer({ min: 0, max: 200 }) }) },
);

const probability = fc.constantFrom(0.1, 0.3, 0.6);
const callFault: fc.Arbitrary<Fault> = fc.record({
  on: fc.constantFrom('run.start', 'run.start', 'run.get', 'run.abort', 'run.list', 'run.input', 'dataset.items'),
  kind: fc.constantFrom(
    'latency',
    'rate_limited',
    'error_before',
    'error_after',
    'timeout_before',
    'timeout_after',
    'reset_before',
    'reset_after',
  ),
  probability,
  // Bounded, so that every schedule ends.
  times: fc.integer({ min: 1, max: 4 }),
  delayMs: fc.constant(700),
});
const eventFault: fc.Arbitrary<Fault> = fc.oneof(
  fc.record({
    on: fc.constant('run' as const),
    kind: fc.constantFrom('fail', 'time_out', 'empty', 'slow'),
    probability,
    delayMs: fc.constant(400),
  }),
  fc.record({
    on: fc.constant('run.webhook' as const),
    kind: fc.constantFrom('twice', 'late', 'out_of_order', 'never', 'before_answer'),
    probability,
    delayMs: fc.constant(400),
  }),
  fc.record({ on: fc.constant('dataset' as const), kind: fc.constant('broken_item' as const), probability }),
  fc.record({
    on: fc.constant('run.start' as const),
    kind: fc.constant('no_capacity' as const),
    probability,
    times: fc.integer({ min: 1, max: 6 }),
  }),
);

describe('random schedules with random faults on two replicas', () => {
  let world: InteractionsWorld;
  beforeAll(async () => {
    world = await InteractionsWorld.start({
      replicas: 2,
      simulator: { runDurationMs: { min: 20, max: 250 }, abortDurationMs: 80 },
      settings: {
        PROVIDER_SLOTS: '6',
        PROVIDER_TIMEOUT_MS: '500',
        PROVIDER_RETRIES: '2',
        START_ATTEMPTS: '20',
        ANSWER_BUDGET_MS: '300',
        ITEM_PAGE_SIZE: '7',
        // Longer than any delay of a start below, even on a busy machine; the guarantee depends on it.
        START_SETTLE_SILENT_MS: '2000',
      },
    });
  });
  afterAll(() => world.stop());

  it(
    `${schedules} schedules end in agreement`,
    async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(step, { minLength: 5, maxLength: 25 }),
          fc.array(fc.oneof(callFault, eventFault), { maxLength: 6 }),
          async (steps, faults) => {
            await world.empty();
            const latencyOfStart = faults.find((fault) => fault.on === 'run.start' && fault.kind === 'latency');
            // Latencies add up, and a start must not come after the time when it counts as absent.
            world.simulator.setFaults(
              faults.filter(
                (fault) => fault.kind !== 'latency' || fault.on !== 'run.start' || fault === latencyOfStart,
              ),
            );
            const answers: Promise<unknown>[] = [];
            for (const each of steps) {
              if (each.act === 'wait') await delay(each.ms);
              else answers.push(act(world, each));
            }
            await Promise.all(answers);
            await world.finished(restWithinMs);
            await world.simulator.settled(restWithinMs);
            await world.inboxProcessed(restWithinMs);
            await expectAgreement(world);
          },
        ),
        { seed, numRuns: schedules, endOnFailure: true, ...(path === undefined ? {} : { path }) },
      );
    },
    restWithinMs + schedules * 60_000,
  );
});

async function act(world: InteractionsWorld, step: Exclude<Step, { act: 'wait' }>): Promise<void> {
  const base = world.replicas[step.replica]!.url;
  if (step.act === 'replay') {
    const runs = (await world.tracker()).filter((row) => row.provider_run_id);
    const row = runs[step.pick % Math.max(1, runs.length)];
    if (!row) return;
    const body = { eventType: step.eventType, resource: { id: row.provider_run_id } };
    const { status } = await world.post(
      '/scraper/network/webhook',
      body,
      { 'x-webhook-secret': 'dev-only-webhook-secret' },
      base,
    );
    if (status !== 200) throw new Error(`a replayed webhook was answered ${status}`);
    return;
  }
  const path = step.act === 'trigger' ? 'interactions' : 'abort-run';
  const body = { user_company_id: step.company, targets: step.handles.map(person) };
  const { status } = await world.post(`/scraper/network/${path}`, body, {}, base);
  if (status !== 200) throw new Error(`${step.act} was answered ${status}`);
}
