import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { backoffMs, retry, type RetryPolicy } from './retry.js';

const options: RetryPolicy = { attempts: 3, backoffMsMin: 1, backoffMsMax: 2, isRetryable: () => true };

describe('backoffMs', () => {
  it('doubles from the shortest to the longest wait', () => {
    const range = { backoffMsMin: 1_000, backoffMsMax: 10_000 };
    expect([1, 2, 3, 4, 5, 6].map((failures) => backoffMs(failures, range, 1))).toEqual([
      1_000, 2_000, 4_000, 8_000, 10_000, 10_000,
    ]);
    expect(backoffMs(1, range, 0)).toBe(500);
  });

  it('stays between half and all of that, whatever the number of failures', () => {
    const range = { backoffMsMin: 500, backoffMsMax: 600_000 };
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1_000_000 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (failures, random) => {
          const whole = backoffMs(failures, range, 1);
          const wait = backoffMs(failures, range, random);
          expect(wait).toBeGreaterThanOrEqual(whole / 2);
          expect(wait).toBeLessThanOrEqual(600_000);
        },
      ),
    );
  });
});

describe('retry', () => {
  it('returns the first success', async () => {
    expect(
      await retry(async (attempt) => {
        if (attempt < 3) throw new Error('not yet');
        return attempt;
      }, options),
    ).toBe(3);
  });

  it('gives up after the attempts with the last error', async () => {
    let calls = 0;
    const call = async () => {
      calls += 1;
      throw new Error(`failure ${calls}`);
    };
    await expect(retry(call, options)).rejects.toThrow('failure 3');
    expect(calls).toBe(3);
  });

  it('repeats no final failure, and nothing after an abort', async () => {
    let calls = 0;
    const call = async () => {
      calls += 1;
      throw new Error('final');
    };
    await expect(retry(call, { ...options, isRetryable: () => false })).rejects.toThrow('final');
    await expect(retry(call, { ...options, signal: AbortSignal.abort() })).rejects.toThrow('final');
    expect(calls).toBe(2);
  });
});
