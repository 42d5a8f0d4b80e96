import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { redeliveryDelayMs } from './push-retry.js';

describe('redeliveryDelayMs', () => {
  it('doubles from the shortest to the longest wait', () => {
    const range = { backoffMsMin: 1_000, backoffMsMax: 10_000 };
    expect([1, 2, 3, 4, 5, 6].map((attempt) => redeliveryDelayMs(attempt, range, 1))).toEqual([
      1_000, 2_000, 4_000, 8_000, 10_000, 10_000,
    ]);
  });

  it('stays between the half and the whole of it, whatever the attempt', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1_000_000 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (attempt, random) => {
          const range = { backoffMsMin: 500, backoffMsMax: 600_000 };
          const whole = redeliveryDelayMs(attempt, range, 1);
          const delay = redeliveryDelayMs(attempt, range, random);
          expect(delay).toBeGreaterThanOrEqual(Math.floor(whole / 2));
          expect(delay).toBeLessThanOrEqual(600_000);
        },
      ),
    );
  });
});
