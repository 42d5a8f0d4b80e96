// The rows that changed since the build: for each id the row as it is now, or null. They are few, so they are tested
// one by one.
import { evaluateFilter, type FilterRecord, type NormalisedFilter } from '@tradewind/filters';

export class ChangedRows {
  private readonly rows = new Map<bigint, FilterRecord | null>();
  private sortedIds: readonly bigint[] | undefined;

  get count(): number {
    return this.rows.size;
  }

  /** @param row null for a deleted row */
  set(id: bigint, row: FilterRecord | null): void {
    if (!this.rows.has(id)) this.sortedIds = undefined;
    this.rows.set(id, row);
  }

  /** Ids of the rows that satisfy the filter, ascending. */
  matching(filter: NormalisedFilter): bigint[] {
    if (this.rows.size === 0) return [];
    this.sortedIds ??= [...this.rows.keys()].sort((a, b) => (a < b ? -1 : 1));
    return this.sortedIds.filter((id) => {
      const row = this.rows.get(id)!;
      return row !== null && evaluateFilter(filter, row);
    });
  }
}
