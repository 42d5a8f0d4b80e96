// Collects the values of a column row by row, in ascending order of positions, and sorts them at the end. Memory is
// taken from the budget before it is allocated.
import { randomInt } from 'node:crypto';
import { setBit, wordsFor } from './bits.js';
import { type ColumnParts, noRank, postingOfStep } from './column-index.js';
import { type IndexedColumn, isText } from '../indexed-columns.js';
import type { MemoryBudget } from './memory-budget.js';

// 128 sets take 16 bytes a row. An interval then costs one pass over the bits and at most 2 / 128 of the rows singly.
// For ten million rows these are 78,000 on average, which takes as long as the pass.
const stepsMax = 128;
const rowsPerStepMin = 256;

export interface ColumnBuilder {
  add(bytes: Buffer, from: number, to: number, position: number): void;
  /** Empties the builder. */
  finish(): ColumnParts;
}

export function columnBuilder(column: IndexedColumn, rowCount: number, budget: MemoryBudget): ColumnBuilder {
  return isText(column) ? new TextBuilder(column, rowCount, budget) : new IntegerBuilder(column, rowCount, budget);
}

/** Bytes of four that grow by half. */
class GrowingArray {
  array: Uint32Array;
  length = 0;

  constructor(
    capacity: number,
    private readonly budget: MemoryBudget,
  ) {
    budget.take(4 * capacity);
    this.array = new Uint32Array(capacity);
  }

  push(value: number): void {
    if (this.length === this.array.length) {
      const larger = Math.ceil(this.length * 1.5) + 16;
      this.budget.take(4 * larger);
      const array = new Uint32Array(larger);
      array.set(this.array);
      this.budget.release(this.array.byteLength);
      this.array = array;
    }
    this.array[this.length++] = value;
  }

  release(): void {
    this.budget.release(this.array.byteLength);
    this.array = new Uint32Array(0);
    this.length = 0;
  }
}

class IntegerBuilder implements ColumnBuilder {
  private readonly lows: GrowingArray;
  /** With the sign bit turned, so that they sort as they are. */
  private readonly highs: GrowingArray;
  private readonly positions: GrowingArray;

  constructor(
    private readonly column: IndexedColumn,
    private readonly rowCount: number,
    private readonly budget: MemoryBudget,
  ) {
    this.lows = new GrowingArray(rowCount, budget);
    this.highs = new GrowingArray(rowCount, budget);
    this.positions = new GrowingArray(rowCount, budget);
  }

  add(bytes: Buffer, from: number, _to: number, position: number): void {
    this.highs.push(bytes.readInt32BE(from) ^ 0x80000000);
    this.lows.push(bytes.readUInt32BE(from + 4));
    this.positions.push(position);
  }

  finish(): ColumnParts {
    const { budget } = this;
    const count = this.positions.length;
    const [lows, highs] = [this.lows.array, this.highs.array];
    budget.take(12 * count);
    const order = sortedOrder(lows, highs, count);
    // The place of each pair's value among the different values.
    const keyOf = new Uint32Array(count);
    let keyCount = 0;
    for (let place = 0; place < count; place++) {
      const [pair, before] = [order[place]!, order[place - 1]];
      if (before === undefined || lows[pair] !== lows[before] || highs[pair] !== highs[before]) keyCount += 1;
      keyOf[pair] = keyCount - 1;
    }
    budget.take(8 * keyCount);
    const integers = new BigInt64Array(keyCount);
    const halves = new Uint32Array(integers.buffer);
    for (let pair = 0; pair < count; pair++) {
      // Typed arrays are little-endian on every machine that Node runs on.
      halves[2 * keyOf[pair]!] = lows[pair]!;
      halves[2 * keyOf[pair]! + 1] = highs[pair]! ^ 0x80000000;
    }
    this.lows.release();
    this.highs.release();
    const grouped = group(keyOf, this.positions, keyCount, budget);
    budget.release(12 * count);
    return { keys: { integers }, ...grouped, ...derived(grouped, this.column, this.rowCount, budget) };
  }
}

class TextBuilder implements ColumnBuilder {
  private readonly texts: TextTable;
  private readonly textOf: GrowingArray;
  private readonly positions: GrowingArray;

  constructor(
    private readonly column: IndexedColumn,
    private readonly rowCount: number,
    private readonly budget: MemoryBudget,
  ) {
    this.texts = new TextTable(budget);
    this.textOf = new GrowingArray(rowCount, budget);
    this.positions = new GrowingArray(rowCount, budget);
  }

  add(bytes: Buffer, from: number, to: number, position: number): void {
    this.textOf.push(this.texts.numberOf(bytes, from, to));
    this.positions.push(position);
  }

  finish(): ColumnParts {
    const { budget } = this;
    const { bytes: unsorted, starts, count: keyCount } = this.texts;
    const bytesTotal = starts[keyCount]!;
    budget.take(bytesTotal + 20 * keyCount);
    // The first six bytes as a number decide most comparisons.
    const heads = new Float64Array(keyCount);
    for (let number = 0; number < keyCount; number++) {
      const [start, end] = [starts[number]!, starts[number + 1]!];
      for (let place = start; place < start + 6; place++)
        heads[number] = heads[number]! * 256 + (place < end ? unsorted[place]! : 0);
    }
    const sorted = new Uint32Array(keyCount).map((_, number) => number);
    sorted.sort(
      (a, b) => heads[a]! - heads[b]! || unsorted.compare(unsorted, starts[b], starts[b + 1], starts[a], starts[a + 1]),
    );
    const bytes = new Uint8Array(bytesTotal);
    const offsets = new Uint32Array(keyCount + 1);
    const keyOfText = new Uint32Array(keyCount);
    for (const [key, number] of sorted.entries()) {
      bytes.set(unsorted.subarray(starts[number], starts[number + 1]), offsets[key]);
      offsets[key + 1] = offsets[key]! + starts[number + 1]! - starts[number]!;
      keyOfText[number] = key;
    }
    this.texts.release();
    const keyOf = this.textOf.array.subarray(0, this.textOf.length);
    for (let pair = 0; pair < keyOf.length; pair++) keyOf[pair] = keyOfText[keyOf[pair]!]!;
    const grouped = group(keyOf, this.positions, keyCount, budget);
    this.textOf.release();
    budget.release(16 * keyCount);
    return { keys: { bytes, offsets }, ...grouped, ...derived(grouped, this.column, this.rowCount, budget) };
  }
}

/**
 * The different texts of a column, numbered as they come: a hash table over their bytes. A Map of strings would take
 * four times the memory.
 */
class TextTable {
  count = 0;
  private text: Buffer = Buffer.alloc(0);
  private readonly ends: GrowingArray;
  /** Numbers from 1 by hash, at most every second place; 0 where there is none. */
  private slots: Uint32Array;
  /** Nobody can choose texts that all have one hash. */
  private readonly seed = randomInt(2 ** 32);

  constructor(private readonly budget: MemoryBudget) {
    this.ends = new GrowingArray(16, budget);
    this.ends.push(0);
    budget.take(4 * 64);
    this.slots = new Uint32Array(64);
  }

  /** All texts, one after the other. */
  get bytes(): Buffer {
    return this.text;
  }

  /** Where each text begins in `bytes`, and where the last one ends. */
  get starts(): Uint32Array {
    return this.ends.array;
  }

  numberOf(bytes: Buffer, from: number, to: number): number {
    if (2 * this.count >= this.slots.length) this.enlarge();
    const place = this.placeOf(bytes, from, to);
    const known = this.slots[place]!;
    if (known > 0) return known - 1;
    const start = this.starts[this.count]!;
    const end = start + to - from;
    if (end > this.text.length) this.reserve(Math.ceil(end * 1.5));
    bytes.copy(this.text, start, from, to);
    this.ends.push(end);
    this.count += 1;
    this.slots[place] = this.count;
    return this.count - 1;
  }

  release(): void {
    this.budget.release(this.text.length + this.slots.byteLength);
    this.ends.release();
    this.text = Buffer.alloc(0);
    this.slots = new Uint32Array(0);
  }

  /** Of the text, or of the empty place where it belongs. */
  private placeOf(bytes: Buffer, from: number, to: number): number {
    const { slots, starts, text } = this;
    // FNV-1a, with the upper bits mixed into the lower ones, which choose the place.
    let hash = this.seed;
    for (let at = from; at < to; at++) hash = Math.imul(hash ^ bytes[at]!, 0x01000193);
    let place = (hash ^ (hash >>> 15)) & (slots.length - 1);
    for (; slots[place]! > 0; place = (place + 1) & (slots.length - 1)) {
      const [start, end] = [starts[slots[place]! - 1]!, starts[slots[place]!]!];
      if (end - start === to - from && text.compare(bytes, from, to, start, end) === 0) break;
    }
    return place;
  }

  private enlarge(): void {
    const length = 2 * this.slots.length;
    this.budget.take(4 * length);
    this.budget.release(this.slots.byteLength);
    this.slots = new Uint32Array(length);
    const { starts, text } = this;
    for (let number = 0; number < this.count; number++)
      this.slots[this.placeOf(text, starts[number]!, starts[number + 1]!)] = number + 1;
  }

  private reserve(length: number): void {
    this.budget.take(length);
    const larger = Buffer.allocUnsafeSlow(length);
    this.text.copy(larger);
    this.budget.release(this.text.length);
    this.text = larger;
  }
}

type Grouped = Pick<ColumnParts, 'starts' | 'postings'>;

/** Sorts the positions by value. A list may hold a value twice; its row is kept once. */
function group(keyOf: Uint32Array, positions: GrowingArray, keyCount: number, budget: MemoryBudget): Grouped {
  const count = positions.length;
  budget.take(4 * (count + keyCount + 1));
  const starts = new Uint32Array(keyCount + 1);
  // Each position is compared with the last one of its value.
  budget.take(4 * keyCount);
  const last = new Uint32Array(keyCount).fill(noRank);
  let repeats = 0;
  for (let pair = 0; pair < count; pair++) {
    const key = keyOf[pair]!;
    if (last[key] === positions.array[pair]!) {
      repeats += 1;
      continue;
    }
    last[key] = positions.array[pair]!;
    starts[key + 1]! += 1;
  }
  for (let key = 0; key < keyCount; key++) starts[key + 1]! += starts[key]!;
  const postings = new Uint32Array(count - repeats);
  const next = last.fill(0);
  for (let pair = 0; pair < count; pair++) {
    const key = keyOf[pair]!;
    const position = positions.array[pair]!;
    const at = starts[key]! + next[key]!;
    if (next[key]! > 0 && postings[at - 1] === position) continue;
    postings[at] = position;
    next[key]! += 1;
  }
  budget.release(4 * keyCount);
  positions.release();
  return { starts, postings };
}

/** What makes a column fast, by what it is asked for. */
function derived(
  { starts, postings }: Grouped,
  { shape, isRanged, isSorted }: IndexedColumn,
  rowCount: number,
  budget: MemoryBudget,
): Omit<ColumnParts, 'keys' | keyof Grouped> {
  const wordCount = wordsFor(rowCount);
  const dense: number[] = [];
  for (let key = 0; key + 1 < starts.length; key++) {
    if (starts[key + 1]! - starts[key]! > wordCount) dense.push(key);
  }
  const stepCount = isRanged && shape === 'one' ? Math.min(stepsMax, Math.ceil(postings.length / rowsPerStepMin)) : 0;
  budget.take(4 * wordCount * (dense.length + stepCount) + 4 * dense.length + (isSorted ? 4 * rowCount : 0));
  const denseBits = new Int32Array(wordCount * dense.length);
  for (const [place, key] of dense.entries()) {
    const bits = denseBits.subarray(place * wordCount, (place + 1) * wordCount);
    for (let at = starts[key]!; at < starts[key + 1]!; at++) setBit(bits, postings[at]!);
  }
  const stepBits = new Int32Array(wordCount * stepCount);
  for (let step = 1; step <= stepCount; step++) {
    const start = (step - 1) * wordCount;
    if (step > 1) stepBits.copyWithin(start, start - wordCount, start);
    const bits = stepBits.subarray(start, start + wordCount);
    const to = postingOfStep(step, stepCount, postings.length);
    for (let at = postingOfStep(step - 1, stepCount, postings.length); at < to; at++) setBit(bits, postings[at]!);
  }
  const ranks = new Uint32Array(isSorted ? rowCount : 0).fill(noRank);
  if (isSorted) {
    for (let key = 0; key + 1 < starts.length; key++) {
      for (let at = starts[key]!; at < starts[key + 1]!; at++) ranks[postings[at]!] = key;
    }
  }
  return { denseKeys: Uint32Array.from(dense), denseBits, stepCount, stepBits, ranks };
}

/** Places 0 to count - 1 in ascending order of their 64-bit value: radix sort by 16 bits at a time, stable. */
function sortedOrder(lows: Uint32Array, highs: Uint32Array, count: number): Uint32Array {
  let order = new Uint32Array(count);
  let next = new Uint32Array(count);
  for (let place = 0; place < count; place++) order[place] = place;
  for (let digit = 0; digit < 4; digit++) {
    const half = digit < 2 ? lows : highs;
    const shift = (digit & 1) * 16;
    const starts = new Uint32Array(65_537);
    for (let place = 0; place < count; place++) starts[((half[place]! >>> shift) & 0xffff) + 1]! += 1;
    // All values share this digit, as the upper ones of most columns do.
    if (starts.includes(count)) continue;
    for (let value = 0; value < 65_536; value++) starts[value + 1]! += starts[value]!;
    for (let index = 0; index < count; index++) {
      const place = order[index]!;
      const value = (half[place]! >>> shift) & 0xffff;
      next[starts[value]!] = place;
      starts[value]! += 1;
    }
    [order, next] = [next, order];
  }
  return order;
}
