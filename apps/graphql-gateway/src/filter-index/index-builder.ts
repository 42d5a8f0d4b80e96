// Builds the parts of a BitsetIndex from rows in ascending order of id, as PostgreSQL's binary COPY sends them.
import type { IndexParts } from './bitset-index.js';
import type { BinaryRow } from './copy-rows-reader.js';
import type { IndexedColumns } from './indexed-columns.js';
import type { MemoryBudget } from './memory-budget.js';
import { NumberRanksBuilder } from './number-ranks.js';
import { ValueSetsBuilder } from './value-sets.js';

export class IndexBuilder {
  private readonly ids: BigInt64Array;
  private readonly values: ValueSetsBuilder[];
  private readonly lists: ValueSetsBuilder[];
  private readonly numbers: NumberRanksBuilder[];
  private position = 0;

  /**
   * @param rowCount exact number of rows that will be added
   * @throws IndexTooLarge, as do the other methods
   */
  constructor(
    private readonly columns: IndexedColumns,
    private readonly rowCount: number,
    budget: MemoryBudget,
  ) {
    budget.take(8 * rowCount);
    this.ids = new BigInt64Array(rowCount);
    this.values = columns.values.map(() => new ValueSetsBuilder(rowCount, budget));
    this.lists = columns.lists.map(() => new ValueSetsBuilder(rowCount, budget));
    this.numbers = columns.numbers.map(() => new NumberRanksBuilder(rowCount, budget));
  }

  /** Fields of the row: the id, then `columnsToRead`. */
  add(row: BinaryRow): void {
    const { position } = this;
    if (position >= this.rowCount) throw new Error('more rows came than were counted in the same snapshot');
    let field = 0;
    this.ids[position] = row.bigint(field++);
    for (const sets of this.values) {
      if (!row.isNull(field)) sets.add(row.integer(field), position);
      field += 1;
    }
    for (const sets of this.lists) row.eachElement(field++, (value) => sets.add(value, position));
    for (const ranks of this.numbers) {
      if (!row.isNull(field)) ranks.add(row.high(field), row.low(field), position);
      field += 1;
    }
    this.position += 1;
  }

  finish(): IndexParts {
    if (this.position !== this.rowCount) throw new Error('fewer rows came than were counted in the same snapshot');
    const named = <Builder extends { finish(): Parts }, Parts>(names: readonly string[], builders: Builder[]) =>
      Object.fromEntries(names.map((name, index) => [name, builders[index]!.finish()])) as Record<string, Parts>;
    return {
      ids: this.ids,
      values: named(this.columns.values, this.values),
      lists: named(this.columns.lists, this.lists),
      numbers: named(this.columns.numbers, this.numbers),
    };
  }
}
