// Numbers and money as every screen writes them.

export const number = (value: number): string => value.toLocaleString('en');

/** US dollars with at least two digits behind the point, and as many as a small amount needs. */
export function dollars(usd: number): string {
  const digits = usd === 0 || usd >= 10 ? 2 : usd >= 0.01 ? 3 : 6;
  return `$${usd.toLocaleString('en', { minimumFractionDigits: 2, maximumFractionDigits: digits })}`;
}

/** `1 profile`, `2 profiles`. */
export const counted = (value: number, one: string, many = `${one}s`): string =>
  `${number(value)} ${value === 1 ? one : many}`;
