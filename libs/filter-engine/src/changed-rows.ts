// The rows of one entity that changed since a version: for each id the row as it is now, or null. An engine leaves them
// out of its answer; they are few, so they are tested one by one.
import { evaluateFilter, type FilterRecord, type NormalisedFilter } from '@tradewind/filters';
import { readsList, valueCount } from './filter-size.js';
import type { IdentifiedRow } from './row-order.js';

/** Comparisons that one filter may take, 5 to 10 ns each: it holds the thread of all requests for 50 ms at most. */
const comparisonsMax = 5_000_000;
/** What a condition takes for one row in addition, in comparisons. */
const comparisonsOfCondition = 20;

interface ChangedRow {
  /** Null for a deleted row. */
  row: FilterRecord | null;
  /** The version that brought the last known change, or a later one. */
  version: bigint;
}

export class ChangedRows {
  private readonly rows = new Map<bigint, ChangedRow>();
  private sortedIds: readonly bigint[] = [];
  /** Of rows, but not yet in `sortedIds`. */
  private newIds: bigint[] = [];
  /** Elements of all lists of all rows. */
  private elements = 0;

  /** @param since all changes after this version will be applied */
  constructor(
    private oldest: bigint,
    private newest = oldest,
  ) {}

  /** All changes after this version are known. */
  get since(): bigint {
    return this.oldest;
  }

  /** The version that the rows belong to. */
  get version(): bigint {
    return this.newest;
  }

  get count(): number {
    return this.rows.size;
  }

  /** Ascending; the same array until something changes. */
  get ids(): readonly bigint[] {
    if (this.newIds.length > 0) {
      this.sortedIds = merged(this.sortedIds, this.newIds.sort(byValue));
      this.newIds = [];
    }
    return this.sortedIds;
  }

  /** Moves to a later version. `changes` are all rows that were written in between; null for a deleted row. */
  apply(version: bigint, changes: Iterable<readonly [id: bigint, row: FilterRecord | null]>): void {
    for (const [id, row] of changes) {
      const known = this.rows.get(id);
      if (known) this.elements -= elementsOf(known.row);
      else this.newIds.push(id);
      this.elements += elementsOf(row);
      this.rows.set(id, { row, version });
    }
    this.newest = version;
  }

  /** Drops what changed up to a version, because the engine has it. */
  forget(version: bigint): void {
    const before = this.ids;
    for (const [id, changed] of this.rows) {
      if (changed.version > version) continue;
      this.elements -= elementsOf(changed.row);
      this.rows.delete(id);
    }
    if (this.rows.size < before.length) this.sortedIds = before.filter((id) => this.rows.has(id));
    if (version > this.oldest) this.oldest = version;
  }

  /** Ids of the rows that satisfy the filter, ascending; or that finding them is too much work for one query. */
  matching(filter: NormalisedFilter): bigint[] | 'too_costly' {
    if (this.rows.size === 0) return [];
    if (comparisonsOf(this.rows.size, this.elements, filter) > comparisonsMax) return 'too_costly';
    return this.ids.filter((id) => {
      const { row } = this.rows.get(id)!;
      return row !== null && evaluateFilter(filter, row);
    });
  }

  /** These rows as they are now; none of them is deleted. */
  rowsOf(ids: readonly bigint[]): IdentifiedRow[] {
    return ids.map((id) => [id, this.rows.get(id)!.row!]);
  }
}

/** Ids of the rows that satisfy the filter, in their order; or that finding them is too much work for one query. */
export function matchingIds(rows: readonly IdentifiedRow[], filter: NormalisedFilter): bigint[] | 'too_costly' {
  const elements = rows.reduce((sum, [, row]) => sum + elementsOf(row), 0);
  if (comparisonsOf(rows.length, elements, filter) > comparisonsMax) return 'too_costly';
  return rows.filter(([, row]) => evaluateFilter(filter, row)).map(([id]) => id);
}

/** At most so many, for so many rows with so many elements in all of their lists. */
function comparisonsOf(rows: number, elements: number, { conditions }: NormalisedFilter): number {
  return conditions.reduce((sum, condition) => {
    const compared = rows + (readsList(condition) ? elements : 0);
    return sum + rows * comparisonsOfCondition + valueCount(condition) * compared;
  }, 0);
}

const byValue = (a: bigint, b: bigint) => (a < b ? -1 : 1);

/** Both ascending, without a common element. */
function merged(left: readonly bigint[], right: readonly bigint[]): bigint[] {
  const all: bigint[] = [];
  let place = 0;
  for (const id of left) {
    while (place < right.length && right[place]! < id) all.push(right[place++]!);
    all.push(id);
  }
  while (place < right.length) all.push(right[place++]!);
  return all;
}

function elementsOf(row: FilterRecord | null): number {
  let elements = 0;
  for (const value of Object.values(row ?? {})) if (Array.isArray(value)) elements += value.length;
  return elements;
}
