import { describe, expect, it } from '@jest/globals';
import type { Sample } from '../generator/open-loop.js';
import { summaryOf } from './summary.js';

const sample = (own: Partial<Sample>): Sample => ({
  ...{ dueMs: 0, latencyMs: 1, status: 200, hasRetryAfter: false, lateMs: 0 },
  ...own,
});

describe('the summary of a phase', () => {
  it('counts served, refused and failed requests', () => {
    const samples = [
      sample({}),
      sample({ status: 202 }),
      sample({ status: 503, hasRetryAfter: true }),
      sample({ status: 429, hasRetryAfter: true }),
      sample({ status: 503 }),
      sample({ status: 500, hasRetryAfter: true }),
      sample({ status: undefined }),
    ];
    expect(summaryOf(samples)).toMatchObject({
      sent: 7,
      served: 2,
      refused: 2,
      failed: { '503': 1, '500': 1, none: 1 },
    });
  });

  it('takes percentiles of served requests without the refused ones', () => {
    const served = Array.from({ length: 100 }, (_, index) => sample({ latencyMs: index + 1 }));
    const refused = [sample({ status: 503, hasRetryAfter: true, latencyMs: 900 })];
    const { p50Ms, p99Ms, refusalP99Ms } = summaryOf([...served, ...refused]);
    expect(p50Ms).toBeCloseTo(50, 0);
    expect(p99Ms).toBeCloseTo(99, 0);
    expect(refusalP99Ms).toBeCloseTo(900, -1);
  });
});
