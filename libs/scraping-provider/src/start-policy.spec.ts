import { describe, expect, it } from '@jest/globals';
import { claimTimes, lookAgainMs, nextStep, stepAfterFailure } from './start-policy.js';

const rules = {
  PROVIDER_TIMEOUT_MS: 15_000,
  START_ATTEMPTS: 4,
  START_BACKOFF_MS: 100,
  START_SETTLE_MS: 5,
  START_SETTLE_SILENT_MS: 60,
};
const detail = '';

describe('stepAfterFailure', () => {
  it('doubles the wait with each failure and adds up to a quarter, so that attempts are never used up too early', () => {
    expect([0, 1, 2].map((failures) => stepAfterFailure(failures, rules, 0))).toEqual([
      { step: 'retry', afterMs: 100, failures: 1 },
      { step: 'retry', afterMs: 200, failures: 2 },
      { step: 'retry', afterMs: 400, failures: 3 },
    ]);
    expect(stepAfterFailure(0, rules, 1)).toMatchObject({ afterMs: 125 });
  });

  it('gives up after the number of attempts', () => {
    expect(stepAfterFailure(3, rules)).toEqual({ step: 'give_up', why: 'failed' });
    expect(stepAfterFailure(0, { ...rules, START_ATTEMPTS: 1 })).toEqual({ step: 'give_up', why: 'failed' });
  });

  it('never waits longer than a minute', () => {
    const many = { START_ATTEMPTS: 100, START_BACKOFF_MS: 1_000 };
    expect(stepAfterFailure(40, many, 1)).toMatchObject({ afterMs: 60_000 });
  });
});

describe('nextStep', () => {
  const after = (failure: Parameters<typeof nextStep>[0], failures = 0) =>
    nextStep(failure, { failures, ageMs: 0 }, rules);

  it('gives up at once when the provider refuses', () => {
    expect(after({ outcome: 'refused', status: 400, detail })).toEqual({ step: 'give_up', why: 'refused' });
  });

  it.each(['no_capacity', 'unavailable'] as const)(
    'waits as the provider asks, without counting a failure: %s',
    (outcome) => {
      expect(after({ outcome, retryAfterMs: 7_000, detail }, 3)).toEqual({
        step: 'retry',
        afterMs: 7_000,
        failures: 3,
      });
    },
  );

  it.each([
    ['no_capacity', 'no_capacity'],
    ['unavailable', 'failed'],
  ] as const)('gives up waiting only if the caller wants that, after the time limit: %s', (outcome, why) => {
    const stepOf = (ageMs: number, more: object) =>
      nextStep({ outcome, retryAfterMs: 7_000, detail }, { failures: 0, ageMs }, { ...rules, ...more });
    expect(stepOf(60_000, { START_GIVE_UP_SECONDS: 60 }).step).toBe('retry');
    expect(stepOf(60_001, { START_GIVE_UP_SECONDS: 60 })).toEqual({ step: 'give_up', why });
    expect(stepOf(1e12, {}).step).toBe('retry');
  });

  it.each([
    [500, 5],
    [undefined, 60],
    [408, 60],
    [502, 60],
    [503, 60],
    [504, 60],
  ])('settles an unknown outcome with status %s for %d ms', (status, settleMs) => {
    expect(after({ outcome: 'unknown_outcome', status, detail })).toEqual({ step: 'settle', settleMs });
  });
});

describe('lookAgainMs', () => {
  it('doubles up to five seconds', () => {
    expect([0, 1, 2, 3, 4, 50].map(lookAgainMs)).toEqual([500, 1_000, 2_000, 4_000, 5_000, 5_000]);
  });
});

describe('claimTimes', () => {
  const times = (START_SETTLE_SILENT_MS: number) => claimTimes({ ...rules, START_SETTLE_SILENT_MS });

  it('leaves a busy process at least a second to send a start, whatever the settings', () => {
    expect([0, 1_000, 60_000].map((silentMs) => times(silentMs).sendWithinMs)).toEqual([1_000, 1_000, 2_000]);
  });

  it('settles a start only when its call can no longer be on its way', () => {
    expect(times(60_000)).toEqual({ sendWithinMs: 2_000, leaseMs: 22_000, settleMs: 77_000 });
    for (const silentMs of [0, 100, 1_500, 60_000]) {
      const { sendWithinMs, leaseMs, settleMs } = times(silentMs);
      expect(leaseMs).toBeGreaterThanOrEqual(sendWithinMs + rules.PROVIDER_TIMEOUT_MS);
      expect(settleMs).toBeGreaterThanOrEqual(leaseMs);
    }
  });
});
