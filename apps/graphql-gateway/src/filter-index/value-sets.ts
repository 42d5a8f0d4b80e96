// For every value of a column, the set of rows that have it: as bits or as a list of positions, whichever is smaller. A
// row of a list column is in the set of each of its elements.
import type { Integer } from '@tradewind/filters';
import { type Bits, hasBit, setBit, wordsFor } from './bits.js';
import type { MemoryBudget } from './memory-budget.js';
import type { RowSet } from './row-set.js';

/** What a build hands over; its buffers can be transferred between threads. */
export interface ValueSetsParts {
  /** The values in any order; their sets follow in the same order. */
  values: Integer[];
  counts: Uint32Array;
  /** Of each value: where its words begin in `words`, or -1. */
  wordStarts: Float64Array;
  /** Of each value: where its positions begin in `positions`, or -1. */
  positionStarts: Float64Array;
  words: Int32Array;
  positions: Uint32Array;
}

export class ValueSets {
  private readonly sets = new Map<Integer, { rows: RowSet; count: number }>();

  constructor(parts: ValueSetsParts, rowCount: number) {
    const wordCount = wordsFor(rowCount);
    for (const [index, value] of parts.values.entries()) {
      const count = parts.counts[index]!;
      const wordStart = parts.wordStarts[index]!;
      const start = parts.positionStarts[index]!;
      this.sets.set(
        value,
        wordStart >= 0
          ? { rows: { bits: parts.words.subarray(wordStart, wordStart + wordCount) }, count }
          : { rows: { positions: parts.positions.subarray(start, start + count) }, count },
      );
    }
  }

  /** Undefined when no row has the value. */
  find(value: Integer): { rows: RowSet; count: number } | undefined {
    return this.sets.get(value);
  }
}

// Bytes of a Map entry, the object and the two array headers of one value, rounded up.
const bytesPerValue = 400;
const positionsMin = 4;

interface GrowingSet {
  positions: Uint32Array | undefined;
  bits: Bits | undefined;
  count: number;
}

/** Collects the sets row by row, in ascending order of positions. */
export class ValueSetsBuilder {
  private readonly sets = new Map<Integer, GrowingSet>();
  private readonly wordCount: number;

  /** @param rowCount positions are below it */
  constructor(
    rowCount: number,
    private readonly budget: MemoryBudget,
  ) {
    this.wordCount = wordsFor(rowCount);
  }

  add(value: Integer, position: number): void {
    const set = this.sets.get(value) ?? this.newSet(value);
    if (set.bits) {
      if (hasBit(set.bits, position)) return;
      setBit(set.bits, position);
      set.count += 1;
      return;
    }
    const positions = set.positions!;
    // A list may hold a value twice.
    if (set.count > 0 && positions[set.count - 1] === position) return;
    if (set.count === positions.length && !this.grow(set)) {
      setBit(set.bits!, position);
      set.count += 1;
      return;
    }
    set.positions![set.count] = position;
    set.count += 1;
  }

  /** Empties the builder: each set is released as it is copied, so that there are never two copies of all sets. */
  finish(): ValueSetsParts {
    const sets = [...this.sets];
    this.sets.clear();
    let wordTotal = 0;
    let positionTotal = 0;
    for (const [, set] of sets) {
      if (set.bits) wordTotal += this.wordCount;
      else positionTotal += set.count;
    }
    this.budget.take(4 * (wordTotal + positionTotal) + 20 * sets.length);
    const parts: ValueSetsParts = {
      values: sets.map(([value]) => value),
      counts: new Uint32Array(sets.length),
      wordStarts: new Float64Array(sets.length).fill(-1),
      positionStarts: new Float64Array(sets.length).fill(-1),
      words: new Int32Array(wordTotal),
      positions: new Uint32Array(positionTotal),
    };
    let wordEnd = 0;
    let positionEnd = 0;
    for (const [index, [, set]] of sets.entries()) {
      parts.counts[index] = set.count;
      if (set.bits) {
        parts.words.set(set.bits, wordEnd);
        parts.wordStarts[index] = wordEnd;
        wordEnd += this.wordCount;
        this.budget.release(set.bits.byteLength);
      } else {
        parts.positions.set(set.positions!.subarray(0, set.count), positionEnd);
        parts.positionStarts[index] = positionEnd;
        positionEnd += set.count;
        this.budget.release(set.positions!.byteLength);
      }
      set.bits = undefined;
      set.positions = undefined;
    }
    return parts;
  }

  private newSet(value: Integer): GrowingSet {
    this.budget.take(bytesPerValue + 4 * positionsMin);
    const set: GrowingSet = { positions: new Uint32Array(positionsMin), bits: undefined, count: 0 };
    this.sets.set(value, set);
    return set;
  }

  /** Doubles the list of positions, or turns it into bits when those are no larger; then false. */
  private grow(set: GrowingSet): boolean {
    const positions = set.positions!;
    const length = positions.length * 2;
    if (length < this.wordCount) {
      this.budget.take(length * 4);
      set.positions = new Uint32Array(length);
      set.positions.set(positions);
      this.budget.release(positions.byteLength);
      return true;
    }
    this.budget.take(this.wordCount * 4);
    set.bits = new Int32Array(this.wordCount);
    for (let index = 0; index < positions.length; index++) setBit(set.bits, positions[index]!);
    set.positions = undefined;
    this.budget.release(positions.byteLength);
    return false;
  }
}
