// Where the rows and the count of a page come from. Nothing else of a connection depends on it.
import type { NormalisedFilter } from '@tradewind/filters';
import type { Count } from './count-cache.js';
import type { CursorPosition } from './page-cursor.js';
import type { SortKey } from './page-order.js';
import type { Condition } from './page-query.js';
import type { RecordSource, Row } from './record-source.js';

export interface PageRequest {
  table: RecordSource['table'];
  /** Columns wanted, in addition to the sort keys and the id. */
  columns: readonly string[];
  where: Condition;
  /** The same as `where`, together with `person`. It may read what only engines hold (`indexedColumns`). */
  filter: NormalisedFilter;
  /** What the person of a contact must satisfy, and its meaning; undefined without such a filter. */
  person?: { filter: NormalisedFilter; key: string };
  /** What `where` means, with all the count depends on. */
  countKey: string;
  /** Further tables that `where` reads. */
  alsoReads?: readonly string[];
  sort: readonly SortKey[];
  after: CursorPosition | null;
  /** Most rows wanted. */
  limit: number;
  isCounted: boolean;
}

export interface PageRead {
  /** Values of `pageColumns`; an implementation may add more behind them. */
  rows: Row[];
  /** All records that match, whatever `after` says; present when `isCounted`. Exact for the version it names. */
  count?: Count;
}

/**
 * Every implementation answers the same for the same data, however many calls run at once. Failures of the database are
 * those of DataStore.
 */
export abstract class PageReader {
  abstract read(request: PageRequest): Promise<PageRead>;
}
