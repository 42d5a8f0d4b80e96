// The order of a page, and the columns that it is read with.
import type { CursorKey } from './page-cursor.js';

export interface SortKey extends CursorKey {
  column: string;
  direction: 'asc' | 'desc';
}

const idKey: SortKey = { column: 'id', type: 'bigint', direction: 'asc', isNullable: false };

/** All keys that decide the order; an explicit sort by id ends the list. */
export function orderKeys(sort: readonly SortKey[]): readonly SortKey[] {
  return sort.some((key) => key.column === 'id') ? sort : [...sort, idKey];
}

/** What the order means, as part of a query's fingerprint. */
export function orderMeaning(sort: readonly SortKey[]): unknown {
  return orderKeys(sort).map(({ column, direction }) => [column, direction]);
}

/** Columns of a page's rows in their order: those that are wanted, then those that only the cursor needs. */
export function pageColumns(columns: readonly string[], sort: readonly SortKey[]): readonly string[] {
  return [...new Set([...columns, ...orderKeys(sort).map((key) => key.column)])];
}
