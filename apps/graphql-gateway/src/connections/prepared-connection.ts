import type { NormalisedFilter } from '@tradewind/filters';
import type { CursorPosition } from './page-cursor.js';
import type { SortKey } from './page-order.js';
import type { Condition } from './page-query.js';

/** The checked arguments of a connection field. From here on, nothing fails because of what the caller sent. */
export interface PreparedConnection {
  where: Condition;
  /** The same as `where`, when it is nothing but a filter of libs/filters. */
  filter?: NormalisedFilter;
  /** Whether `where` asks for words in addition to those of `filter`. */
  asksForWords?: boolean;
  /** Key of cached counts: the meaning of the filter, with everything that the count depends on. */
  countKey: string;
  /** Further tables that the condition reads. */
  alsoReads?: readonly string[];
  /** Binds cursors to filters and order. */
  fingerprint: string;
  sort: readonly SortKey[];
  after: CursorPosition | null;
}
