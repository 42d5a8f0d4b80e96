// Parsing of single filter values and of single record values. Both sides meet in the same representation, so that
// comparing them is plain comparison. Integers are numbers, or bigint past 2^53. Dates are text YYYY-MM-DD, whose order
// is the order of time.

export type Integer = number | bigint;
export type Scalar = Integer | string | boolean;

const int64Min = -(2n ** 63n);
const int64Max = 2n ** 63n - 1n;

/** More than any integer of 64 bits has, spaces around it included. */
const integerCharsMax = 64;

/** An integer from a number, a bigint or a digit string; undefined when it is none or does not fit 64 bits. */
export function integerOf(value: unknown): Integer | undefined {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? value + 0 : undefined;
  let exact: bigint;
  if (typeof value === 'bigint') exact = value;
  else if (typeof value === 'string' && value.length <= integerCharsMax && /^\s*-?\d{1,30}\s*$/.test(value))
    exact = BigInt(value.trim());
  else return undefined;
  if (exact < int64Min || exact > int64Max) return undefined;
  const number = Number(exact);
  return Number.isSafeInteger(number) ? number : exact;
}

/** A real calendar date `YYYY-MM-DD` of the years 0001 to 9999; undefined otherwise. */
export function dateOf(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  const match = /^(\d{4})-(\d{2})-(\d{2})$/.exec(value);
  if (!match) return undefined;
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])];
  if (year === 0 || month < 1 || month > 12 || day < 1 || day > daysInMonth(year, month)) return undefined;
  return value;
}

/** Days of a month of the Gregorian calendar; month from 1. */
function daysInMonth(year: number, month: number): number {
  if (month === 2) return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28;
  return [4, 6, 9, 11].includes(month) ? 30 : 31;
}

/**
 * The same day some years earlier; 29 February becomes the 28th where the year has none. Undefined before the year 1.
 * A person born on that day or earlier has had that many birthdays by `date`.
 */
export function yearsBefore(date: string, years: number): string | undefined {
  const year = Number(date.slice(0, 4)) - years;
  if (year < 1) return undefined;
  const month = Number(date.slice(5, 7));
  const day = Math.min(Number(date.slice(8, 10)), daysInMonth(year, month));
  return `${String(year).padStart(4, '0')}-${date.slice(5, 7)}-${String(day).padStart(2, '0')}`;
}

/** Whole days from one date to another, negative when the second is earlier. */
export function daysBetween(from: string, to: string): number {
  return (utcDay(to) - utcDay(from)) / 86_400_000;
}

function utcDay(date: string): number {
  const day = new Date(0);
  day.setUTCFullYear(Number(date.slice(0, 4)), Number(date.slice(5, 7)) - 1, Number(date.slice(8, 10)));
  return day.getTime();
}

/** Orders scalars of one kind: integers by value, texts and dates by code unit, false before true. */
export function compareScalars(left: Scalar, right: Scalar): number {
  return left < right ? -1 : left > right ? 1 : 0;
}
