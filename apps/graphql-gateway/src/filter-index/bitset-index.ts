// Evaluates the filters of libs/filters over rows in memory, as they were at one moment. Nothing changes after the
// build. The meaning is that of compile-filter.ts; a null column satisfies only negated conditions.
import type { Condition, Integer, NormalisedFilter } from '@tradewind/filters';
import { type Bits, clearBit, type Difference, hasBit, setAll, setBit, wordsFor } from './bits.js';
import type { IndexedColumns } from './indexed-columns.js';
import { NumberRanks, type NumberRanksParts } from './number-ranks.js';
import { isInMask, type Mask, RowSelection } from './row-selection.js';
import type { RowSet } from './row-set.js';
import { ValueSets, type ValueSetsParts } from './value-sets.js';

/** Testing a row alone costs about as much as a pass over this many words. */
const wordsPerTest = 8;
/** Operands of one filter that can have a scratch each; further ones begin another round. */
export const scratchMax = 4;

/** What a build hands over; its buffers can be transferred between threads. */
export interface IndexParts {
  /** Ascending; the place of an id is the position of its row. */
  ids: BigInt64Array;
  values: Record<string, ValueSetsParts>;
  lists: Record<string, ValueSetsParts>;
  numbers: Record<string, NumberRanksParts>;
}

/** Rows that a condition asks for: those in any of the sets, or all the others. */
interface Operand {
  isNegated: boolean;
  /** Upper bound of the rows in the sets. */
  size: number;
  sets: readonly RowSet[];
}

const nothing: Operand = { isNegated: false, size: 0, sets: [] };

export class BitsetIndex {
  readonly rowCount: number;
  private readonly values = new Map<string, ValueSets>();
  private readonly lists = new Map<string, ValueSets>();
  private readonly numbers = new Map<string, NumberRanks>();
  /** Rows that operands hold as positions, made into bits: for one operand each. */
  private readonly scratches: readonly Bits[];
  /** The selection that reads the scratches. */
  private borrower: RowSelection | undefined;

  constructor(private readonly parts: IndexParts) {
    this.rowCount = parts.ids.length;
    for (const [name, each] of Object.entries(parts.values)) this.values.set(name, new ValueSets(each, this.rowCount));
    for (const [name, each] of Object.entries(parts.lists)) this.lists.set(name, new ValueSets(each, this.rowCount));
    for (const [name, each] of Object.entries(parts.numbers))
      this.numbers.set(name, new NumberRanks(each, this.rowCount));
    this.scratches = Array.from({ length: scratchMax }, () => this.newBits());
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

  /**
   * The rows that satisfy every condition and are not in `except`; `bits` holds the work. Only for filters that
   * `isAnswerable`. The next selection may make the index abandon this one.
   */
  select({ conditions }: NormalisedFilter, bits: Bits, except?: Bits): RowSelection {
    const operands = conditions
      .flatMap((condition) => this.operandsOf(condition))
      .filter(({ isNegated, size }) => !isNegated || size > 0);
    if (except) operands.push({ isNegated: true, size: this.rowCount, sets: [{ bits: except }] });
    // The smallest first.
    operands.sort((a, b) => Number(a.isNegated) - Number(b.isNegated) || a.size - b.size);
    const [first, ...others] = operands;
    const isFew = first && !first.isNegated && first.size <= bits.length / wordsPerTest;
    const few = isFew ? positionsOf(first.sets) : undefined;
    return few ? this.selectFew(few, others, bits) : this.selectMany(operands, bits);
  }

  /** Tests the rows of the first operand, one by one. */
  private selectFew(first: readonly Uint32Array[], others: readonly Operand[], bits: Bits): RowSelection {
    bits.fill(0);
    let rows: number[] = [];
    for (const positions of first) {
      for (const position of positions) {
        if (hasBit(bits, position)) continue;
        setBit(bits, position);
        rows.push(position);
      }
    }
    for (const operand of others) {
      if (rows.length === 0) break;
      const mask = this.maskOf(operand, 0);
      const kept: number[] = [];
      for (const position of rows) {
        if (isInMask(mask, position)) kept.push(position);
        else clearBit(bits, position);
      }
      rows = kept;
    }
    return new RowSelection(bits, []);
  }

  private selectMany(operands: readonly Operand[], bits: Bits): RowSelection {
    setAll(bits, this.rowCount);
    let masks: Mask[] = [];
    let scratch = 0;
    for (const operand of operands) {
      if (scratch === scratchMax) {
        // Applies the masks so far to all blocks, before their scratches are used again.
        new RowSelection(bits, masks).count();
        masks = [];
        scratch = 0;
      }
      masks.push(this.maskOf(operand, scratch));
      if (holdsPositions(operand)) scratch += 1;
    }
    const selection = new RowSelection(bits, masks);
    if (scratch > 0) this.borrower = selection;
    return selection;
  }

  /** @param scratch the number of the one to take for positions; the mask is good until it is taken again */
  private maskOf({ sets, isNegated }: Operand, scratch: number): Mask {
    const plain: Bits[] = [];
    const differences: Difference[] = [];
    let taken: Bits | undefined;
    for (const set of sets) {
      if (!('positions' in set)) {
        if (set.except) differences.push(set);
        else plain.push(set.bits);
        continue;
      }
      taken ??= this.borrowed(scratch);
      const { positions } = set;
      for (let index = 0; index < positions.length; index++) setBit(taken, positions[index]!);
    }
    return { inverted: isNegated ? -1 : 0, sets: taken ? [...plain, taken] : plain, differences };
  }

  private borrowed(scratch: number): Bits {
    this.borrower?.abandon();
    this.borrower = undefined;
    return this.scratches[scratch]!.fill(0);
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
    const size = found.reduce((sum, { from, to }) => sum + to - from, 0);
    return { isNegated, size, sets: found.flatMap((each) => ranks.rowsOf(each)) };
  }
}

function anyOf(sets: ValueSets, values: readonly Integer[], isNegated: boolean): Operand {
  const found = values.map((value) => sets.find(value)).filter((set) => set !== undefined);
  return { isNegated, size: found.reduce((sum, { count }) => sum + count, 0), sets: found.map(({ rows }) => rows) };
}

/** Undefined when some of the rows are not held as positions. */
function positionsOf(sets: readonly RowSet[]): Uint32Array[] | undefined {
  const positions = sets.map((set) => ('positions' in set ? set.positions : undefined));
  return positions.includes(undefined) ? undefined : (positions as Uint32Array[]);
}

function holdsPositions({ sets }: Operand): boolean {
  return sets.some((set) => 'positions' in set);
}

/** Whether the filter uses only indexed columns and operators that the index supports. */
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
