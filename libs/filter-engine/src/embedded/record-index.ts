// The rows of one entity as they were at one moment, by the columns that filters read. Nothing changes after the build.
import type { Entity, SortKey } from '../filter-engine.port.js';
import { type Bits, wordsFor } from './bits.js';
import { ColumnIndex, type ColumnParts, firstPlace } from './column-index.js';

/** What a build hands over; its buffers can be transferred between threads. */
export interface IndexParts {
  /** Ascending; the place of an id is the position of its row. */
  ids: BigInt64Array;
  columns: Record<string, ColumnParts>;
}

/** A filter, a condition of `either`, and a status need one each. */
const scratchesKept = 6;

export class RecordIndex {
  readonly rowCount: number;
  /** Words of a set of its rows. */
  readonly wordCount: number;
  private readonly columns = new Map<string, ColumnIndex>();
  /** For work that ends before the next begins. */
  private readonly scratches: Bits[] = [];

  constructor(
    readonly entity: Entity,
    private readonly parts: IndexParts,
  ) {
    this.rowCount = parts.ids.length;
    this.wordCount = wordsFor(this.rowCount);
    for (const [name, each] of Object.entries(parts.columns))
      this.columns.set(name, new ColumnIndex(each, this.rowCount));
  }

  /** Ascending. */
  get ids(): BigInt64Array {
    return this.parts.ids;
  }

  idAt(position: number): bigint {
    return this.ids[position]!;
  }

  /** Position of the first row with this id or a higher one. */
  positionOf(id: bigint): number {
    return firstPlace(this.ids, id);
  }

  /** Position of the row with this id, if it is there. */
  findPosition(id: bigint): number | undefined {
    const position = this.positionOf(id);
    return position < this.rowCount && this.idAt(position) === id ? position : undefined;
  }

  column(name: string): ColumnIndex {
    return this.columns.get(name)!;
  }

  /** Values of the sort keys of a row that is there. */
  valuesOf(id: bigint, sort: readonly SortKey[]): (bigint | string | null)[] {
    const position = this.positionOf(id);
    return sort.map(({ column }) => (column === 'id' ? id : this.column(column).valueOf(position)));
  }

  /** Lends an empty set of rows. */
  withScratch<T>(work: (bits: Bits) => T): T {
    const bits = this.takeBits();
    const result = work(bits);
    this.giveBack(bits);
    return result;
  }

  /** An empty set of rows. New memory for each would cost more than most conditions. */
  takeBits(): Bits {
    return this.scratches.pop()?.fill(0) ?? new Int32Array(this.wordCount);
  }

  /** Of a set that nobody reads any more. */
  giveBack(bits: Bits): void {
    if (this.scratches.length < scratchesKept) this.scratches.push(bits);
  }
}
