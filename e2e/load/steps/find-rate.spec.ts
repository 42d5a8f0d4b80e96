import { describe, expect, it } from '@jest/globals';
import { findRate } from './find-rate.js';
import type { Summary } from './summary.js';

const operation = { p99MsMax: 100, ratePerSecondMin: 10 };
const summary = (own: Partial<Summary>): Summary => ({
  ...{ sent: 10, served: 10, refused: 0, failed: {}, p50Ms: 1, p99Ms: 1, refusalP99Ms: 0, lateP99Ms: 0 },
  ...own,
});

describe('the rate that a pod holds', () => {
  it.each([
    ['slow', { p99Ms: 101 }],
    ['refused', { served: 9, refused: 1 }],
    ['without an answer', { served: 9, failed: { none: 1 } }],
  ])('is just below the one at which requests are %s', async (_what, beyond) => {
    const limit = 100;
    const held = await findRate(operation, async (rate) => summary(rate > limit ? beyond : {}));
    expect(held).toBeLessThanOrEqual(limit);
    expect(held).toBeGreaterThan(limit / 1.3);
  });

  it('outlasts one bad attempt, as a busy neighbour causes it', async () => {
    let attempts = 0;
    const held = await findRate(operation, async (rate) => {
      attempts += 1;
      return summary(rate > 100 || attempts === 2 ? { p99Ms: 101 } : {});
    });
    expect(held).toBeGreaterThan(70);
  });

  it('is none when the first rate is too high', async () => {
    expect(await findRate(operation, async () => summary({ p99Ms: 101 }))).toBe(0);
  });
});
