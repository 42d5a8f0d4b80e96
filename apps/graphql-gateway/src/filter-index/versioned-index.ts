// The answer to a filter at one data version: the rows of the build that have not changed since, and the changed ones.
import type { FilterRecord, NormalisedFilter } from '@tradewind/filters';
import { type Bits, setBit } from './bits.js';
import { type BitsetIndex, scratchMax } from './bitset-index.js';
import { ChangedRows } from './changed-rows.js';
import type { RowSelection } from './row-selection.js';

// A caller that reads page after page asks for the same rows again; so do several users of one screen.
const selectionsMax = 8;

interface Selection {
  bits: Bits;
  /** Rows of the build that have not changed since. */
  unchanged: RowSelection;
  changed: readonly bigint[];
}

export class VersionedIndex {
  private readonly changedRows = new ChangedRows();
  /** Rows of the build that have changed since. */
  private readonly outdated: Bits;
  private hasOutdated = false;
  /** By filter, the least recently used first. */
  private readonly selections = new Map<string, Selection>();
  private readonly spareBits: Bits[] = [];

  /** @param version data version of the build */
  constructor(
    private readonly index: BitsetIndex,
    private currentVersion: bigint,
  ) {
    this.outdated = index.newBits();
  }

  /** The data version that answers are exact for. */
  get version(): bigint {
    return this.currentVersion;
  }

  get changedCount(): number {
    return this.changedRows.count;
  }

  /** Moves to a later version. `changes` are all rows that were written in between; null for a deleted row. */
  apply(version: bigint, changes: Iterable<readonly [id: bigint, row: FilterRecord | null]>): void {
    for (const [id, row] of changes) {
      this.changedRows.set(id, row);
      const position = this.index.positionOf(id);
      if (position < this.index.rowCount && this.index.idAt(position) === id) {
        setBit(this.outdated, position);
        this.hasOutdated = true;
      }
    }
    this.currentVersion = version;
    for (const { bits } of this.selections.values()) this.spareBits.push(bits);
    this.selections.clear();
  }

  /**
   * Ids of the first rows behind `after` that satisfy the filter, ascending.
   * @param key text of the filter's meaning
   * @param after id; null for the first page
   */
  page(filter: NormalisedFilter, key: string, { after, limit }: { after: bigint | null; limit: number }): bigint[] {
    const { unchanged, changed } = this.selection(filter, key);
    const from = after === null ? 0 : this.index.positionOf(after + 1n);
    const unchangedIds = unchanged.positions(from, limit).map((position) => this.index.idAt(position));
    const changedIds = changed.filter((id) => after === null || id > after).slice(0, limit);
    return mergedAscending(unchangedIds, changedIds).slice(0, limit);
  }

  /** How many rows satisfy the filter. */
  count(filter: NormalisedFilter, key: string): number {
    const { unchanged, changed } = this.selection(filter, key);
    return unchanged.count() + changed.length;
  }

  private selection(filter: NormalisedFilter, key: string): Selection {
    const known = this.selections.get(key);
    this.selections.delete(key);
    if (known && !known.unchanged.isAbandoned) {
      this.selections.set(key, known);
      return known;
    }
    const bits = known?.bits ?? this.freeBits();
    const selection = {
      bits,
      unchanged: this.index.select(filter, bits, this.hasOutdated ? this.outdated : undefined),
      changed: known?.changed ?? this.changedRows.matching(filter),
    };
    this.selections.set(key, selection);
    return selection;
  }

  private freeBits(): Bits {
    if (this.selections.size >= selectionsMax) {
      const [key, { bits }] = this.selections.entries().next().value!;
      this.selections.delete(key);
      return bits;
    }
    return this.spareBits.pop() ?? this.index.newBits();
  }
}

function mergedAscending(left: readonly bigint[], right: readonly bigint[]): bigint[] {
  if (right.length === 0) return [...left];
  return [...left, ...right].sort((a, b) => (a < b ? -1 : 1));
}

/** Bytes that a VersionedIndex takes in addition to the parts of its build. */
export function workingBytes(rowCount: number): number {
  // The selections, the outdated rows and the scratch bits of the index.
  return (selectionsMax + 1 + scratchMax) * Math.ceil(rowCount / 32) * 4;
}
