import type { NormalisedFilter } from '@tradewind/filters';
import type { CursorPosition } from './page-cursor.js';
import type { SortKey } from './page-order.js';
import type { Condition } from './page-query.js';

/** The checked arguments of a connection field. From here on, nothing fails because of what the caller sent. */
export interface PreparedConnection {
  where: Condition;
  /** The same as `where`, together with `person`. It may read what only engines hold (`indexedColumns`). */
  filter: NormalisedFilter;
  /** What the person of a contact must satisfy, and its meaning; undefined without such a filter. */
  person?: { filter: NormalisedFilter; key: string };
  /** Key of cached counts: the meaning of the filter, with everything that the count depends on. */
  countKey: string;
  /** Further tables that the condition reads. */
  alsoReads?: readonly string[];
  /** Binds cursors to filters and order. */
  fingerprint: string;
  sort: readonly SortKey[];
  after: CursorPosition | null;
}
