// What counts against the budget of a company for a run until its cost is known. The provider says the cost only after
// the run, so this is what the input asks for at most.
import type { RunInput } from '@tradewind/scraping-provider';
import type { AppConfig } from '../app.config.js';
import { toMicroUsd } from '../micro-usd.js';

/** Millionths of a US dollar, at least 1. A run of "unlimited" posts may bring as many items as any run. */
export function reservedMicroUsd(
  input: Pick<RunInput, 'maxPosts' | 'scrapeReactions' | 'maxReactions' | 'scrapeComments' | 'maxComments'>,
  limits: Pick<AppConfig, 'RUN_ITEMS_MAX' | 'RUN_CHARGE_USD_MAX' | 'RUN_ITEM_COST_USD'>,
): number {
  const perPost = 1 + (input.scrapeReactions ? input.maxReactions : 0) + (input.scrapeComments ? input.maxComments : 0);
  const items = input.maxPosts === 0 ? Infinity : input.maxPosts * perPost;
  const usd = Math.min(items, limits.RUN_ITEMS_MAX) * limits.RUN_ITEM_COST_USD;
  return Math.max(1, toMicroUsd(Math.min(usd, limits.RUN_CHARGE_USD_MAX)));
}
