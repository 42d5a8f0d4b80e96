import { expect, it } from '@jest/globals';
import { averageCostUsd } from './expected-cost.js';

it('expects what the jobs with a known cost had on average', () => {
  expect(averageCostUsd([{ cost_usd: 0.25 }, { cost_usd: null }, { cost_usd: 0.75 }])).toBe(0.5);
  expect(averageCostUsd([{ cost_usd: 0 }])).toBe(0);
  expect(averageCostUsd([{ cost_usd: null }])).toBeUndefined();
});
