// The rows that satisfy a filter, computed block by block and only as far as needed: the first rows after a cursor are
// in the first blocks after it, and a page without a count needs no others.
import {
  andBlockInto,
  andDifferenceInto,
  andInto,
  andThreeInto,
  andTwoInto,
  areZero,
  type Bits,
  countBits,
  type Difference,
  hasBit,
  orDifferenceInto,
  orInto,
  positionsIn,
} from './bits.js';

/** This many words stay in the processor's first cache while all operands read them. */
const wordsPerBlock = 4096;
// Work on a block is never interrupted, so that all selections share it.
const union: Bits = new Int32Array(wordsPerBlock);

/** The rows in any of the sets and differences; inverted, all the others. */
export interface Mask {
  /** -1 when inverted, else 0. */
  inverted: number;
  sets: readonly Bits[];
  differences: readonly Difference[];
}

export class RowSelection {
  /** For each block, whether it is computed. */
  private readonly isDone: Uint8Array;
  private rowsDone = 0;
  private isLost = false;

  /**
   * @param bits the rows to select from; computed blocks hold the selected rows
   * @param masks a selected row satisfies all of them
   */
  constructor(
    private readonly bits: Bits,
    private readonly masks: readonly Mask[],
  ) {
    this.isDone = new Uint8Array(Math.ceil(bits.length / wordsPerBlock));
  }

  /** Positions of the first `limit` rows from `from` on, ascending. */
  positions(from: number, limit: number): number[] {
    const found: number[] = [];
    for (let block = Math.floor(from / 32 / wordsPerBlock); block < this.isDone.length; block++) {
      this.workOut(block);
      const [first, end] = this.wordsOf(block);
      positionsIn(this.bits, { from: Math.max(from, first * 32), endWord: end, limit, found });
      if (found.length === limit) break;
    }
    return found;
  }

  /** All rows. */
  count(): number {
    for (let block = 0; block < this.isDone.length; block++) this.workOut(block);
    return this.rowsDone;
  }

  /** Called before the data of the masks is overwritten: blocks that are not computed by now never will be. */
  abandon(): void {
    this.isLost = this.isDone.includes(0);
  }

  get isAbandoned(): boolean {
    return this.isLost;
  }

  private workOut(block: number): void {
    if (this.isDone[block]) return;
    if (this.isLost) throw new Error('the selection was abandoned');
    const [from, to] = this.wordsOf(block);
    this.isDone[block] = 1;
    for (const mask of this.masks) {
      andMaskInto(this.bits, mask, from, to);
      if (areZero(this.bits, from, to)) return;
    }
    this.rowsDone += countBits(this.bits, from, to);
  }

  private wordsOf(block: number): [from: number, to: number] {
    return [block * wordsPerBlock, Math.min((block + 1) * wordsPerBlock, this.bits.length)];
  }
}

export function isInMask({ sets, differences, inverted }: Mask, position: number): boolean {
  const isInverted = inverted === -1;
  for (const bits of sets) if (hasBit(bits, position)) return !isInverted;
  for (const { bits, except } of differences)
    if (hasBit(bits, position) && !hasBit(except, position)) return !isInverted;
  return isInverted;
}

function andMaskInto(bits: Bits, { sets, differences, inverted }: Mask, from: number, to: number): void {
  const [a, b, c, d] = sets;
  const [difference, further] = differences;
  if (!difference && a && !d) {
    if (c) andThreeInto(bits, a, b!, c, inverted, from, to);
    else if (b) andTwoInto(bits, a, b, inverted, from, to);
    else andInto(bits, a, inverted, from, to);
  } else if (difference && !further && a && !b) {
    andDifferenceInto(bits, difference, a, inverted, from, to);
  } else {
    union.fill(0, 0, to - from);
    for (const each of sets) orInto(union, each, from, to);
    for (const each of differences) orDifferenceInto(union, each, from, to);
    andBlockInto(bits, union, inverted, from, to);
  }
}
