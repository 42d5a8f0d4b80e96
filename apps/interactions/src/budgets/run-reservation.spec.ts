import { expect, it } from '@jest/globals';
import { reservedMicroUsd } from './run-reservation.js';

const limits = { RUN_ITEMS_MAX: 25_000, RUN_CHARGE_USD_MAX: 50, RUN_ITEM_COST_USD: 0.003 };
const usual = { maxPosts: 10, scrapeReactions: true, maxReactions: 5, scrapeComments: true, maxComments: 5 };

it.each([
  ['a usual run', usual, {}, 330_000],
  ['posts alone', { ...usual, scrapeReactions: false, scrapeComments: false }, {}, 30_000],
  ['one item', { ...usual, maxPosts: 1, scrapeReactions: false, scrapeComments: false }, {}, 3_000],
  ['a thousand posts with everything', { ...usual, maxPosts: 1_000, maxReactions: 1_000 }, {}, 50_000_000],
  ['unlimited posts', { ...usual, maxPosts: 0 }, {}, 50_000_000],
  ['few items at most', { ...usual, maxPosts: 0 }, { RUN_ITEMS_MAX: 7 }, 21_000],
  ['a low charge at most', usual, { RUN_CHARGE_USD_MAX: 0.1 }, 100_000],
  ['a price as high as the charge', usual, { RUN_ITEM_COST_USD: 50 }, 50_000_000],
  ['no price', usual, { RUN_ITEM_COST_USD: 0 }, 1],
])('reserves for %s', (_name, input, more, expected) => {
  expect(reservedMicroUsd(input, { ...limits, ...more })).toBe(expected);
});
