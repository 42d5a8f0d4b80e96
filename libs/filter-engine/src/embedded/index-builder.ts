// Builds the parts of a RecordIndex from rows in ascending order of id, as PostgreSQL's binary COPY sends them.
import type { BinaryRow } from './copy-rows-reader.js';
import { columnBuilder, type ColumnBuilder } from './column-builders.js';
import type { ColumnParts } from './column-index.js';
import type { IndexedColumn } from '../indexed-columns.js';
import type { MemoryBudget } from './memory-budget.js';
import type { IndexParts } from './record-index.js';

export type TakeColumn = (column: string, parts: ColumnParts) => void;

export class IndexBuilder {
  private readonly ids: BigInt64Array;
  private readonly builders: ColumnBuilder[];
  private position = 0;

  /**
   * @param rowCount exact number of rows that will be added
   * @throws IndexTooLarge, as do the other methods
   */
  constructor(
    private readonly columns: readonly IndexedColumn[],
    private readonly rowCount: number,
    budget: MemoryBudget,
  ) {
    budget.take(8 * rowCount);
    this.ids = new BigInt64Array(rowCount);
    this.builders = columns.map((column) => columnBuilder(column, rowCount, budget));
  }

  /** Fields of the row: the id, then the columns. */
  add(row: BinaryRow): void {
    const { position } = this;
    if (position >= this.rowCount) throw new Error('more rows came than were counted in the same snapshot');
    this.ids[position] = row.bigint(0);
    for (const [place, builder] of this.builders.entries()) {
      row.eachValue(place + 1, this.columns[place]!.shape !== 'one', (bytes, from, to) =>
        builder.add(bytes, from, to, position),
      );
    }
    this.position += 1;
  }

  /** @param takeColumn gets each column as soon as it is finished; the result then has no columns */
  finish(takeColumn?: TakeColumn): IndexParts {
    if (this.position !== this.rowCount) throw new Error('fewer rows came than were counted in the same snapshot');
    const columns: Record<string, ColumnParts> = {};
    const take = takeColumn ?? ((column, parts) => (columns[column] = parts));
    for (const { column } of this.columns) take(column, this.builders.shift()!.finish());
    return { ids: this.ids, columns };
  }
}
