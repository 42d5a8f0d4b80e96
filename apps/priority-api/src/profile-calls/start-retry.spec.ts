import { describe, expect, it } from '@jest/globals';
import { failedStartBackoffMs, settleMs } from './start-retry.js';

describe('failedStartBackoffMs', () => {
  it('doubles up to a minute, half of it random', () => {
    expect([0, 1, 2, 3].map((attempts) => failedStartBackoffMs(attempts, 1_000, 1))).toEqual([
      1_000, 2_000, 4_000, 8_000,
    ]);
    expect(failedStartBackoffMs(0, 1_000, 0)).toBe(500);
    expect(failedStartBackoffMs(50, 1_000, 1)).toBe(60_000);
  });
});

describe('settleMs', () => {
  it.each([
    [500, 5],
    [502, 60],
    [503, 60],
    [undefined, 60],
  ])('after status %s waits %d', (status, expected) => {
    expect(settleMs(status, { answeredMs: 5, silentMs: 60 })).toBe(expected);
  });
});
