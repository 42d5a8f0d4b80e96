// The order of a page among rows that are in memory. It is that of PostgreSQL: nulls last in both directions, texts by
// their bytes, ties by id.
import { type FilterRecord, type Integer, integerOf } from '@tradewind/filters';
import type { FilterQuery, SortKey } from './filter-engine.port.js';

type Value = Integer | string | null;

export type IdentifiedRow = readonly [id: bigint, row: FilterRecord];

/** The first `limit` of the rows behind `after`: each row is compared with the last of those found. */
export function firstInOrder(
  rows: readonly IdentifiedRow[],
  { sort, after, limit }: Pick<FilterQuery, 'sort' | 'after' | 'limit'>,
): bigint[] {
  const cursor = after?.map((value, place) => valueOf(sort[place]!, value));
  const found: { id: bigint; values: Value[] }[] = [];
  for (const [id, row] of rows) {
    const values = sort.map((key) => (key.column === 'id' ? id : valueOf(key, row[key.column])));
    if (cursor && compareValues(sort, values, cursor) <= 0) continue;
    if (found.length === limit && compareValues(sort, values, found.at(-1)!.values) > 0) continue;
    let low = 0;
    let high = found.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (compareValues(sort, found[middle]!.values, values) < 0) low = middle + 1;
      else high = middle;
    }
    if (found.length === limit) found.pop();
    found.splice(low, 0, { id, values });
  }
  return found.map(({ id }) => id);
}

function valueOf({ type }: SortKey, value: unknown): Value {
  if (value === null || value === undefined) return null;
  // pg and the cursor give instants, days and texts as these types alone.
  switch (type) {
    case 'bigint':
      return integerOf(value) ?? null;
    case 'timestamptz':
      return value instanceof Date ? value.getTime() : Date.parse(value as string);
    // `infinity` is behind all digits, `-infinity` before them.
    case 'date':
    case 'text':
      return value as string;
  }
}

/** Negative when a row with the values on the left comes first. */
export function compareValues(sort: readonly SortKey[], left: readonly Value[], right: readonly Value[]): number {
  for (const [place, { direction }] of sort.entries()) {
    const [a, b] = [left[place] ?? null, right[place] ?? null];
    if (a === b) continue;
    if (a === null) return 1;
    if (b === null) return -1;
    const compared = typeof a === 'string' && typeof b === 'string' ? compareTexts(a, b) : a < b ? -1 : a > b ? 1 : 0;
    if (compared !== 0) return direction === 'asc' ? compared : -compared;
  }
  return 0;
}

/** By code points, which is the order of the bytes of UTF-8. */
export function compareTexts(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let place = 0; place < length; place++) {
    const [left, right] = [a.charCodeAt(place), b.charCodeAt(place)];
    if (left !== right) return rankOfUnit(left) - rankOfUnit(right);
  }
  return a.length - b.length;
}

/** Surrogates stand for the code points above all others. */
const rankOfUnit = (unit: number): number => (unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit);
