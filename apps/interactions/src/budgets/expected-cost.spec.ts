import { describe, expect, it } from '@jest/globals';
import type { ProfileEntity, RunInput } from '@tradewind/scraping-provider';
import { expectedCostMicroUsd } from './expected-cost.js';

const limits = { RUN_ITEMS_MAX: 10_000, RUN_CHARGE_USD_MAX: 10, RUN_ITEM_COST_USD: 0.001 };
const run = (maxPosts: number, entity: ProfileEntity = 'PERSON') => ({
  entity,
  input: { maxPosts, scrapeReactions: false, scrapeComments: false } as RunInput,
});
const known = (maxPosts: number, costMicroUsd: number, entity?: ProfileEntity) => ({
  ...run(maxPosts, entity),
  costMicroUsd,
});

describe('expectedCostMicroUsd', () => {
  it('is the average of the runs that asked for as much', () => {
    expect(expectedCostMicroUsd(run(10), [known(10, 4_000), known(10, 6_000), known(1_000, 900_000)], limits)).toBe(
      5_000,
    );
  });

  it('is in proportion to what is asked for when no run asked for as much', () => {
    const runs = [known(10, 4_000), known(30, 16_000)];
    expect([10, 20, 40, 400].map((posts) => expectedCostMicroUsd(run(posts), runs.slice(1), limits))).toEqual([
      16_000 / 3,
      32_000 / 3,
      64_000 / 3,
      640_000 / 3,
    ]);
    // The larger ones weigh more: 20,000 for 40 posts.
    expect(expectedCostMicroUsd(run(100), runs, limits)).toBe(50_000);
  });

  it('asks no runs of the other kind, and is what is reserved without any', () => {
    expect(expectedCostMicroUsd(run(10), [known(10, 1, 'COMPANY')], limits)).toBe(10_000);
    expect(expectedCostMicroUsd(run(10), [], limits)).toBe(10_000);
  });

  it('takes unlimited posts for as much as a run may bring', () => {
    expect(expectedCostMicroUsd(run(0), [known(10, 5_000)], limits)).toBe(5_000_000);
  });
});
