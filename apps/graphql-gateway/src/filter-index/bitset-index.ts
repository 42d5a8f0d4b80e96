// The filters of libs/filters over rows in memory, as they were at one moment: nothing in here changes after the build.
// The meaning is that of compile-filter.ts; a null column satisfies only negated conditions.
import type { Condition, Integer, NormalisedFilter } from '@tradewind/filters';
import {
  andDifferenceInto,
  andInto,
  andThreeInto,
  andTwoInto,
  type Bits,
  clearBit,
  countBits,
  type Difference,
  hasBit,
  orDifferenceInto,
  orInto,
  setAll,
  setBit,
  wordsFor,
} from './bits.js';
import type { IndexedColumns } from './indexed-columns.js';
import { NumberRanks, type NumberRanksParts } from './number-ranks.js';
import type { RowSet } from './row-set.js';
import { ValueSets, type ValueSetsParts } from './value-sets.js';

/** Testing a row alone costs about as much as a pass over this many words. */
const wordsPerTest = 8;
/** So many words stay in the processor's nearest cache while every operand goes over them. */
const wordsPerBlock = 4096;
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

/** The rows of an operand in a form that a single loop can read: up to three sets, or one and a difference. */
interface Gathered {
  difference?: Difference | undefined;
  sets: readonly Bits[];
  isScratchUsed: boolean;
}

/** @property inverted -1 for the rows that are in none of the sets, else 0 */
interface Mask extends Gathered {
  inverted: number;
}

const nothing: Operand = { isNegated: false, size: 0, sets: [] };

export class BitsetIndex {
  readonly rowCount: number;
  private readonly values = new Map<string, ValueSets>();
  private readonly lists = new Map<string, ValueSets>();
  private readonly numbers = new Map<string, NumberRanks>();
  /** What of an operand one loop cannot read along with the rest, for one operand each. */
  private readonly scratches: readonly Bits[];

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
   * Makes `bits` the set of the rows that satisfy every condition and are not in `except`, and answers how many they are.
   * Only for filters that `isAnswerable`.
   */
  select({ conditions }: NormalisedFilter, bits: Bits, except?: Bits): number {
    const operands = conditions
      .flatMap((condition) => this.operandsOf(condition))
      .filter(({ isNegated, size }) => !isNegated || size > 0);
    if (except) operands.push({ isNegated: true, size: this.rowCount, sets: [{ bits: except }] });
    // The smallest first.
    operands.sort((a, b) => Number(a.isNegated) - Number(b.isNegated) || a.size - b.size);
    const [first, ...others] = operands;
    if (!first) {
      setAll(bits, this.rowCount);
      return this.rowCount;
    }
    const few = first.isNegated || first.size > bits.length / wordsPerTest ? undefined : positionsOf(first.sets);
    return few ? this.selectFew(few, others, bits) : this.selectMany(operands, bits);
  }

  /** Tests the rows of the first operand, one by one. */
  private selectFew(first: readonly Uint32Array[], others: readonly Operand[], bits: Bits): number {
    bits.fill(0);
    const rows: number[] = [];
    for (const positions of first) {
      for (const position of positions) {
        if (hasBit(bits, position)) continue;
        setBit(bits, position);
        rows.push(position);
      }
    }
    let count = rows.length;
    for (const { sets, isNegated } of others) {
      if (count === 0) return 0;
      const gathered = this.gather(sets, this.scratches[0]!);
      let kept = 0;
      for (let index = 0; index < count; index++) {
        const position = rows[index]!;
        if (isIn(gathered, position) === isNegated) clearBit(bits, position);
        else rows[kept++] = position;
      }
      count = kept;
    }
    return count;
  }

  /** One pass over the bits of all rows, block by block, for as many operands as there are scratches for. */
  private selectMany(operands: readonly Operand[], bits: Bits): number {
    setAll(bits, this.rowCount);
    let count = this.rowCount;
    for (let done = 0; done < operands.length;) {
      const masks: Mask[] = [];
      for (let scratch = 0; done < operands.length && scratch < scratchMax; done++) {
        const { sets, isNegated } = operands[done]!;
        const gathered = this.gather(sets, this.scratches[scratch]!);
        if (gathered.isScratchUsed) scratch += 1;
        masks.push({ ...gathered, inverted: isNegated ? -1 : 0 });
      }
      count = 0;
      for (let from = 0; from < bits.length; from += wordsPerBlock) {
        const to = Math.min(from + wordsPerBlock, bits.length);
        for (const mask of masks) andMaskInto(bits, mask, from, to);
        count += countBits(bits, from, to);
      }
    }
    return count;
  }

  /** @param scratch taken when a loop could not read the sets as they are; the result is good until it is taken again */
  private gather(sets: readonly RowSet[], scratch: Bits): Gathered {
    const plain: Bits[] = [];
    const differences: Difference[] = [];
    const positions: Uint32Array[] = [];
    for (const set of sets) {
      if ('positions' in set) positions.push(set.positions);
      else if (set.except) differences.push(set);
      else plain.push(set.bits);
    }
    const [difference, ...furtherDifferences] = differences;
    if (!difference && positions.length === 0 && plain.length > 0 && plain.length <= 3)
      return { sets: plain, isScratchUsed: false };
    scratch.fill(0);
    for (const each of positions) for (let index = 0; index < each.length; index++) setBit(scratch, each[index]!);
    for (const each of furtherDifferences) orDifferenceInto(scratch, each);
    const kept = difference ? [] : plain.slice(0, 2);
    for (const each of plain.slice(kept.length)) orInto(scratch, each);
    return { difference, sets: [...kept, scratch], isScratchUsed: true };
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

function andMaskInto(bits: Bits, { difference, sets, inverted }: Mask, from: number, to: number): void {
  const [a, b, c] = sets;
  if (difference) andDifferenceInto(bits, difference, a!, inverted, from, to);
  else if (c) andThreeInto(bits, a!, b!, c, inverted, from, to);
  else if (b) andTwoInto(bits, a!, b, inverted, from, to);
  else andInto(bits, a!, inverted, from, to);
}

function isIn({ sets, difference }: Gathered, position: number): boolean {
  if (difference && hasBit(difference.bits, position) && !hasBit(difference.except, position)) return true;
  for (const bits of sets) if (hasBit(bits, position)) return true;
  return false;
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
