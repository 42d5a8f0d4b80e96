import { describe, expect, it } from '@jest/globals';
import { retryAfterMs } from './storing-retry.js';

describe('retryAfterMs', () => {
  it('doubles from the least to the longest wait, half of it random', () => {
    const range = { minMs: 1_000, maxMs: 300_000 };
    expect([1, 2, 3, 20, 1_000].map((attempts) => retryAfterMs(attempts, range, 1))).toEqual([
      1_000, 2_000, 4_000, 300_000, 300_000,
    ]);
    expect(retryAfterMs(1, range, 0)).toBe(500);
  });
});
