// A number column for range conditions. Rows are ranked by value; a range of values is a range of ranks, found by
// binary search. The rows below every n-th rank are kept as bits, so that any range of ranks is the difference of two
// such sets and less than two steps of single rows.
import type { Range, Scalar } from '@tradewind/filters';
import { type Bits, setBit, wordsFor } from './bits.js';
import type { MemoryBudget } from './memory-budget.js';
import type { RowSet } from './row-set.js';

// 128 sets take 16 bytes a row. A range then costs one pass over the bits and at most 2 / 128 of the rows one by one:
// 78,000 on average for ten million rows, which takes as long as the pass.
const stepsMax = 128;
const rowsPerStepMin = 256;

/** What a build hands over; its buffers can be transferred between threads. Rows without a value have no rank. */
export interface NumberRanksParts {
  /** Values by rank. */
  values: BigInt64Array;
  /** Positions of the rows by rank. */
  positions: Uint32Array;
  stepCount: number;
  /** For step 1 to stepCount the rows of rank below step * ranks / stepCount, one after the other. */
  words: Int32Array;
}

/** Ranks from `from` up to, not including, `to`. */
export interface RankRange {
  from: number;
  to: number;
}

export class NumberRanks {
  private readonly wordCount: number;
  private readonly rankCount: number;

  constructor(
    private readonly parts: NumberRanksParts,
    rowCount: number,
  ) {
    this.wordCount = wordsFor(rowCount);
    this.rankCount = parts.values.length;
  }

  /** A range without bounds holds every row that has a value. */
  ranksOf({ min, max }: Range): RankRange {
    const from = min ? this.firstRank(min.value, min.isInclusive) : 0;
    const to = max ? this.firstRank(max.value, !max.isInclusive) : this.rankCount;
    return { from, to: Math.max(from, to) };
  }

  /** The rows of the range: the whole steps inside it as bits, the ranks at its ends as positions. */
  rowsOf({ from, to }: RankRange): RowSet[] {
    const low = this.stepFrom(from);
    const high = this.stepUpTo(to);
    if (low >= high) return this.singly(from, to);
    return [
      this.between(low, high),
      ...this.singly(from, this.rankOfStep(low)),
      ...this.singly(this.rankOfStep(high), to),
    ];
  }

  private singly(from: number, to: number): RowSet[] {
    return from < to ? [{ positions: this.parts.positions.subarray(from, to) }] : [];
  }

  /** The rows between two steps. */
  private between(low: number, high: number): RowSet {
    const bits = this.bitsOfStep(high);
    return low === 0 ? { bits } : { bits, except: this.bitsOfStep(low) };
  }

  private bitsOfStep(step: number): Bits {
    return this.parts.words.subarray((step - 1) * this.wordCount, step * this.wordCount);
  }

  /** The first step that begins at the rank or above. */
  private stepFrom(rank: number): number {
    const step = this.stepUpTo(rank);
    return this.rankOfStep(step) < rank ? step + 1 : step;
  }

  /** The last step that begins at the rank or below. */
  private stepUpTo(rank: number): number {
    if (this.rankCount === 0) return 0;
    let step = Math.floor((rank * this.parts.stepCount) / this.rankCount);
    // Boundaries are rounded down, so that the next one may be reached already.
    while (step < this.parts.stepCount && this.rankOfStep(step + 1) <= rank) step += 1;
    return step;
  }

  private rankOfStep(step: number): number {
    return rankOfStep(step, this.parts.stepCount, this.rankCount);
  }

  /** The lowest rank whose value is at least the given one, or above it. */
  private firstRank(value: Scalar, isInclusive: boolean): number {
    const wanted = BigInt(value);
    const { values } = this.parts;
    let low = 0;
    let high = values.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const found = values[middle]!;
      if (isInclusive ? found < wanted : found <= wanted) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

function rankOfStep(step: number, stepCount: number, rankCount: number): number {
  return stepCount === 0 ? 0 : Math.floor((step * rankCount) / stepCount);
}

/** Collects the values row by row, in ascending order of positions. */
export class NumberRanksBuilder {
  private readonly raw: BigInt64Array;
  /** Halves of `raw`, low word first: typed arrays are little-endian on every machine that Node runs on. */
  private readonly halves: Uint32Array;
  private readonly positions: Uint32Array;
  private count = 0;

  constructor(
    private readonly rowCount: number,
    private readonly budget: MemoryBudget,
  ) {
    budget.take(12 * rowCount);
    this.raw = new BigInt64Array(rowCount);
    this.halves = new Uint32Array(this.raw.buffer);
    this.positions = new Uint32Array(rowCount);
  }

  /** @param high the upper, @param low the lower 32 bits of the value */
  add(high: number, low: number, position: number): void {
    this.halves[2 * this.count] = low;
    // With the sign bit turned over, signed order is the order of unsigned words.
    this.halves[2 * this.count + 1] = high ^ 0x80000000;
    this.positions[this.count] = position;
    this.count += 1;
  }

  finish(): NumberRanksParts {
    const { count, rowCount, halves, positions } = this;
    this.budget.take(8 * count);
    const order = sortedOrder(halves, count);
    this.budget.take(12 * count);
    const values = new BigInt64Array(count);
    const valueHalves = new Uint32Array(values.buffer);
    const ranked = new Uint32Array(count);
    for (let rank = 0; rank < count; rank++) {
      const from = order[rank]!;
      valueHalves[2 * rank] = halves[2 * from]!;
      valueHalves[2 * rank + 1] = halves[2 * from + 1]! ^ 0x80000000;
      ranked[rank] = positions[from]!;
    }
    this.budget.release(8 * count + 12 * rowCount);
    const stepCount = Math.min(stepsMax, Math.ceil(count / rowsPerStepMin));
    const wordCount = wordsFor(rowCount);
    this.budget.take(4 * wordCount * stepCount);
    const words = new Int32Array(wordCount * stepCount);
    for (let step = 1; step <= stepCount; step++) {
      const start = (step - 1) * wordCount;
      if (step > 1) words.copyWithin(start, start - wordCount, start);
      const bits = words.subarray(start, start + wordCount);
      const to = rankOfStep(step, stepCount, count);
      for (let rank = rankOfStep(step - 1, stepCount, count); rank < to; rank++) setBit(bits, ranked[rank]!);
    }
    return { values, positions: ranked, stepCount, words };
  }
}

/** Places 0 to count - 1 in ascending order of their 64-bit value: radix sort by 16 bits at a time, stable. */
function sortedOrder(halves: Uint32Array, count: number): Uint32Array {
  let order = new Uint32Array(count);
  let next = new Uint32Array(count);
  for (let place = 0; place < count; place++) order[place] = place;
  for (let digit = 0; digit < 4; digit++) {
    const half = digit >>> 1;
    const shift = (digit & 1) * 16;
    const starts = new Uint32Array(65_537);
    for (let place = 0; place < count; place++) starts[((halves[2 * place + half]! >>> shift) & 0xffff) + 1]! += 1;
    // All values share this digit, as the upper ones of most columns do.
    if (starts.includes(count)) continue;
    for (let value = 0; value < 65_536; value++) starts[value + 1]! += starts[value]!;
    for (let index = 0; index < count; index++) {
      const place = order[index]!;
      const value = (halves[2 * place + half]! >>> shift) & 0xffff;
      next[starts[value]!] = place;
      starts[value]! += 1;
    }
    [order, next] = [next, order];
  }
  return order;
}
