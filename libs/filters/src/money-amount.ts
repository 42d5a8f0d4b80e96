import { type MoneyMultiplier, moneyMultipliers } from './enumerations.js';

/**
 * Whole units of the currency, the number that money filters and sorters compare: value times multiplier, rounded.
 * Exact as long as the amount is below 2^53.
 */
export function moneyAmount(money: { value: number; multiplier: MoneyMultiplier }): number {
  return Math.round(money.value * moneyMultipliers[money.multiplier]);
}
