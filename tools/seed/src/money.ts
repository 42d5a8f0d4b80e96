import type { MoneyMultiplier } from '@tradewind/filters';

/** The Money value object of the API, as the data tables keep it. */
export interface Money {
  value: number;
  currency: string;
  multiplier: MoneyMultiplier;
  isVerified: boolean;
  localCurrency: string | null;
  localCurrencyValue: number | null;
  localCurrencyValueMultiplier: MoneyMultiplier | null;
}
