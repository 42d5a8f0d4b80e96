import type { Cell } from '../data-store/cells-query.js';
import type { PageInfo } from './connection.types.js';
import type { Reading } from './record-source.js';

/** One page as it was read. */
export interface Page {
  rows: readonly (readonly Cell[])[];
  hasNextPage: boolean;
  hasPreviousPage: boolean;
  cursorOf: (row: readonly Cell[]) => string;
  /** All records that match; present when it was asked for. */
  totalCount?: number;
  reading: Reading;
}

export function pageInfoOf({ rows, hasNextPage, hasPreviousPage, cursorOf }: Page): PageInfo {
  const first = rows[0];
  const last = rows.at(-1);
  return {
    hasNextPage,
    hasPreviousPage,
    startCursor: first ? cursorOf(first) : null,
    endCursor: last ? cursorOf(last) : null,
  };
}
