// The rows of one entity that changed since a version: for each id the row as it is now, or null. An engine leaves them
// out of its answer; they are few, so they are tested one by one.
import { evaluateFilter, type FilterRecord, type NormalisedFilter } from '@tradewind/filters';

interface ChangedRow {
  /** Null for a deleted row. */
  row: FilterRecord | null;
  /** The version that brought the last known change, or a later one. */
  version: bigint;
}

export class ChangedRows {
  private readonly rows = new Map<bigint, ChangedRow>();
  private sortedIds: readonly bigint[] | undefined;

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
    this.sortedIds ??= [...this.rows.keys()].sort((a, b) => (a < b ? -1 : 1));
    return this.sortedIds;
  }

  /** Moves to a later version. `changes` are all rows that were written in between; null for a deleted row. */
  apply(version: bigint, changes: Iterable<readonly [id: bigint, row: FilterRecord | null]>): void {
    for (const [id, row] of changes) {
      if (!this.rows.has(id)) this.sortedIds = undefined;
      this.rows.set(id, { row, version });
    }
    this.newest = version;
  }

  /** Drops what changed up to a version, because the engine has it. */
  forget(version: bigint): void {
    for (const [id, changed] of this.rows) {
      if (changed.version > version) continue;
      this.rows.delete(id);
      this.sortedIds = undefined;
    }
    if (version > this.oldest) this.oldest = version;
  }

  /** Ids of the rows that satisfy the filter, ascending. */
  matching(filter: NormalisedFilter): bigint[] {
    if (this.rows.size === 0) return [];
    return this.ids.filter((id) => {
      const { row } = this.rows.get(id)!;
      return row !== null && evaluateFilter(filter, row);
    });
  }
}
