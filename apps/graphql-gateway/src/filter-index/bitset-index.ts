// The filters of libs/filters over rows in memory, as they were at one moment: nothing in here changes after the build.
// The meaning is that of compile-filter.ts; a null column satisfies only negated conditions.
import type { Condition, Integer, NormalisedFilter } from '@tradewind/filters';
import { andInto, andNotInto, type Bits, setAll, wordsFor } from './bits.js';
import type { IndexedColumns } from './indexed-columns.js';
import { NumberRanks, type NumberRanksParts, type RankRange } from './number-ranks.js';
import { addRows, type RowSet, ValueSets, type ValueSetsParts } from './value-sets.js';

/** What a build hands over; its buffers can be transferred between threads. */
export interface IndexParts {
  /** Ascending; the place of an id is the position of its row. */
  ids: BigInt64Array;
  values: Record<string, ValueSetsParts>;
  lists: Record<string, ValueSetsParts>;
  numbers: Record<string, NumberRanksParts>;
}

/** Rows that a condition asks for: those in any of the sets and ranges, or all the others. */
type Operand = {
  isNegated: boolean;
  /** Upper bound of the rows in sets and ranges. */
  size: number;
} & ({ sets: readonly RowSet[] } | { ranks: NumberRanks; ranges: readonly RankRange[] });

const nothing: Operand = { isNegated: false, size: 0, sets: [] };

export class BitsetIndex {
  readonly rowCount: number;
  private readonly values = new Map<string, ValueSets>();
  private readonly lists = new Map<string, ValueSets>();
  private readonly numbers = new Map<string, NumberRanks>();
  private readonly scratch: Bits;

  constructor(private readonly parts: IndexParts) {
    this.rowCount = parts.ids.length;
    for (const [name, each] of Object.entries(parts.values)) this.values.set(name, new ValueSets(each, this.rowCount));
    for (const [name, each] of Object.entries(parts.lists)) this.lists.set(name, new ValueSets(each, this.rowCount));
    for (const [name, each] of Object.entries(parts.numbers))
      this.numbers.set(name, new NumberRanks(each, this.rowCount));
    this.scratch = this.newBits();
  }

  newBits(): Bits {
    return new Int32Array(wordsFor(this.rowCount));
  }

  idAt(position: number): bigint {
    return this.parts.ids[position]!;
  }

  /** Position of the first row with this id or a higher one. */
  positionOf(id: bigint): number {
    const { ids } = this.parts;
    let low = 0;
    let high = ids.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (ids[middle]! < id) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Makes `bits` the set of the rows that satisfy every condition. Only for filters that `isAnswerable`. */
  select({ conditions }: NormalisedFilter, bits: Bits): void {
    const operands = conditions.flatMap((condition) => this.operandsOf(condition));
    // The smallest first: with nothing left, the others need no look.
    operands.sort((a, b) => Number(a.isNegated) - Number(b.isNegated) || a.size - b.size);
    const [first] = operands;
    if (!first || first.isNegated) {
      setAll(bits, this.rowCount);
    } else {
      bits.fill(0);
      if (first.size === 0) return;
      this.add(bits, first);
      operands.shift();
    }
    for (const operand of operands) this.narrow(bits, operand);
  }

  private narrow(bits: Bits, operand: Operand): void {
    const { isNegated, size } = operand;
    if (size === 0) {
      if (!isNegated) bits.fill(0);
      return;
    }
    const other = this.readyBits(operand) ?? this.filled(operand);
    if (isNegated) andNotInto(bits, other);
    else andInto(bits, other);
  }

  /** The bits of a single frequent value are there already. */
  private readyBits(operand: Operand): Bits | undefined {
    if (!('sets' in operand) || operand.sets.length !== 1) return undefined;
    const [set] = operand.sets;
    return set && 'bits' in set ? set.bits : undefined;
  }

  private filled(operand: Operand): Bits {
    this.scratch.fill(0);
    this.add(this.scratch, operand);
    return this.scratch;
  }

  private add(bits: Bits, operand: Operand): void {
    if ('sets' in operand) for (const set of operand.sets) addRows(bits, set);
    else for (const range of operand.ranges) operand.ranks.addRows(bits, range);
  }

  private operandsOf(condition: Condition): Operand[] {
    switch (condition.op) {
      case 'nothing':
        return [nothing];
      case 'in': {
        const { column, isNegated } = condition;
        const values = condition.values as readonly Integer[];
        const sets = this.values.get(column);
        if (sets) return [anyOf(sets, values, isNegated)];
        const bounds = values.map((value) => ({ value, isInclusive: true }));
        return [
          this.inRanges(
            column,
            bounds.map((bound) => ({ min: bound, max: bound })),
            isNegated,
          ),
        ];
      }
      case 'inRanges':
        return [this.inRanges(condition.column, condition.ranges, condition.isNegated)];
      case 'overlaps':
        return [anyOf(this.lists.get(condition.column)!, condition.values as readonly Integer[], condition.isNegated)];
      case 'containsAll': {
        const sets = this.lists.get(condition.column)!;
        return condition.groups.map((group) => anyOf(sets, group as readonly Integer[], false));
      }
      default:
        throw new Error(`the index has no answer to ${condition.op}`);
    }
  }

  private inRanges(
    column: string,
    ranges: Extract<Condition, { op: 'inRanges' }>['ranges'],
    isNegated: boolean,
  ): Operand {
    const ranks = this.numbers.get(column)!;
    const found = ranges.map((range) => ranks.ranksOf(range)).filter(({ from, to }) => to > from);
    return { isNegated, size: found.reduce((sum, { from, to }) => sum + to - from, 0), ranks, ranges: found };
  }
}

function anyOf(sets: ValueSets, values: readonly Integer[], isNegated: boolean): Operand {
  const found = values.map((value) => sets.find(value)).filter((set) => set !== undefined);
  return { isNegated, size: found.reduce((sum, { count }) => sum + count, 0), sets: found };
}

/** Whether the filter asks for nothing but the indexed columns, in ways that the index knows. */
export function isAnswerable({ entity, conditions }: NormalisedFilter, columns: IndexedColumns): boolean {
  if (entity !== columns.table) return false;
  return conditions.every((condition) => {
    switch (condition.op) {
      case 'nothing':
        return true;
      case 'in':
        return columns.values.includes(condition.column) || columns.numbers.includes(condition.column);
      case 'inRanges':
        return columns.numbers.includes(condition.column);
      case 'overlaps':
      case 'containsAll':
        return columns.lists.includes(condition.column);
      default:
        return false;
    }
  });
}
