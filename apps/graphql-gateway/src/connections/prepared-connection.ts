import type { NormalisedFilter } from '@tradewind/filters';
import type { CursorPosition } from './page-cursor.js';
import type { SortKey } from './page-order.js';
import type { Condition } from './page-query.js';

/** A connection field with its arguments understood: nothing in it can fail any more because of what the caller sent. */
export interface PreparedConnection {
  where: Condition;
  /** The same as `where`, when it is nothing but a filter of libs/filters. */
  filter?: NormalisedFilter;
  /** Whether `where` asks for words beside those of `filter`. */
  asksForWords?: boolean;
  /** What the filter means, including all the count depends on; key of cached counts. */
  countKey: string;
  /** Further tables that the condition reads. */
  alsoReads?: readonly string[];
  /** Binds cursors to filters and order. */
  fingerprint: string;
  sort: readonly SortKey[];
  after: CursorPosition | null;
}
