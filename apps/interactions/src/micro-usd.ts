// Money as a whole number of millionths of a US dollar, so that sums are exact. Exact below 1,000,000,000 dollars.

/** @param usd as the provider and the settings have it */
export function toMicroUsd(usd: number): number {
  return Math.round(usd * 1e6);
}

/** US dollars with at most six digits behind the point. */
export function toUsd(microUsd: number): number {
  return microUsd / 1e6;
}

/** An amount in US dollars, below a thousand millions; undefined for any other text. */
export function parseMicroUsd(text: string): number | undefined {
  return /^\d{1,9}(\.\d{1,6})?$/.test(text) ? toMicroUsd(Number(text)) : undefined;
}
