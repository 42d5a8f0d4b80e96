import { describe, expect, it } from '@jest/globals';
import { backoffAfterFailure, pauseForCapacity, sendWithinMs, settleMs } from './start-retry.js';

const rules = { attempts: 4, backoffMs: 100 };

describe('backoffAfterFailure', () => {
  it('doubles with each failure, with at most a quarter of jitter on top', () => {
    expect([1, 2, 3].map((failures) => backoffAfterFailure(failures, rules, () => 0))).toEqual([100, 200, 400]);
    expect(backoffAfterFailure(1, rules, () => 0.999_999)).toBe(125);
  });

  it('ends after the number of attempts', () => {
    expect(backoffAfterFailure(4, rules)).toBeUndefined();
    expect(backoffAfterFailure(1, { ...rules, attempts: 1 })).toBeUndefined();
  });

  it('never exceeds a minute and a quarter', () => {
    expect(backoffAfterFailure(40, { attempts: 100, backoffMs: 1_000 }, () => 1)).toBe(75_000);
  });
});

describe('pauseForCapacity', () => {
  it('is never shorter than what the provider asked for', () => {
    for (const refusals of [0, 1, 5, 50])
      expect(pauseForCapacity(2_000, refusals, () => 0)).toBeGreaterThanOrEqual(2_000);
  });

  it('grows with refusals in a row, up to eight times', () => {
    const pauses = [0, 1, 2, 3, 4, 30].map((refusals) => pauseForCapacity(1_000, refusals, () => 0));
    expect(pauses).toEqual([1_000, 2_000, 4_000, 8_000, 8_000, 8_000]);
  });
});

describe('settleMs', () => {
  const times = { answeredMs: 5, silentMs: 60 };
  const after = (status: number | undefined) => settleMs({ outcome: 'unknown_outcome', status, detail: '' }, times);

  it('is short after an answer of the application itself', () => expect(after(500)).toBe(5));

  it.each([undefined, 408, 502, 503, 504])('is long after %s: the request may still be on its way', (status) =>
    expect(after(status)).toBe(60),
  );
});

describe('sendWithinMs', () => {
  it('leaves the provider at least half of the time in which a run may still appear', () => {
    expect([0, 1_000, 60_000].map(sendWithinMs)).toEqual([0, 500, 2_000]);
  });
});
