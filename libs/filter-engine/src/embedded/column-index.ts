// One column: its different values in order, and for each value the rows that have it. A row of a list is there once
// for each of its elements. All of it lies in plain arrays, which move between threads without a copy.
import { type Bits, eachPosition, hasBit, orDifferenceInto, orInto, setBit } from './bits.js';
import { stepsOfLookup, stepsOfRow, stepsOfSearchedRow, type WorkLimit } from './work-limit.js';

/** What a build hands over. */
export interface ColumnParts {
  keys: IntegerKeys | TextKeys;
  /** Where the rows of each value begin in `postings`, and where those of the last one end. */
  starts: Uint32Array;
  /** Positions of rows, ascending for each value. */
  postings: Uint32Array;
  /** Values that so many rows have that their bits are smaller than a list: their places, and the bits of each. */
  denseKeys: Uint32Array;
  denseBits: Int32Array;
  /** Bits of the rows below every n-th posting, for columns that are asked for by intervals. */
  stepCount: number;
  stepBits: Int32Array;
  /** For columns that are sorted by: the place of each row's value; `noRank` without a value. */
  ranks: Uint32Array;
}

/** Ascending. */
export interface IntegerKeys {
  integers: BigInt64Array;
}

/** Ascending by bytes of UTF-8; text n lies from `offsets[n]` to `offsets[n + 1]`. */
export interface TextKeys {
  bytes: Uint8Array;
  offsets: Uint32Array;
}

/** Values of a column, ascending, and for each the position of the row of another index that has it as its id. */
export interface KeyLink {
  keys: Uint32Array;
  others: Uint32Array;
}

export const noRank = 0xffffffff;

/** Looking up one row in a link takes about as long as passing so many pairs. */
const searchedPerPair = 20;

export class ColumnIndex {
  readonly keyCount: number;
  private readonly dense = new Map<number, Bits>();
  private readonly texts: Buffer | undefined;
  private readonly wordCount: number;

  constructor(
    private readonly parts: ColumnParts,
    rowCount: number,
  ) {
    this.keyCount = parts.starts.length - 1;
    this.wordCount = Math.ceil(rowCount / 32);
    for (const [place, key] of parts.denseKeys.entries()) {
      this.dense.set(key, parts.denseBits.subarray(place * this.wordCount, (place + 1) * this.wordCount));
    }
    if ('bytes' in parts.keys) {
      const { buffer, byteOffset, length } = parts.keys.bytes;
      this.texts = Buffer.from(buffer as ArrayBuffer, byteOffset, length);
    }
  }

  /** Place of the first value that is at least, or, without `isInclusive`, above the given one. */
  firstKey(value: bigint | string, work: WorkLimit, isInclusive = true): number {
    work.spend(stepsOfLookup + (typeof value === 'string' ? value.length : 0));
    const order = this.orderOf(value);
    let low = 0;
    let high = this.keyCount;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const found = order(middle);
      if (isInclusive ? found < 0 : found <= 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Place of the value; undefined when no row has it. */
  findKey(value: bigint | string, work: WorkLimit): number | undefined {
    const key = this.firstKey(value, work);
    return key < this.keyCount && this.orderOf(value)(key) === 0 ? key : undefined;
  }

  /** The same for a column of integers; the caller counts the work. */
  findInteger(value: bigint): number | undefined {
    const { integers } = this;
    const place = firstPlace(integers, value);
    return place < integers.length && integers[place] === value ? place : undefined;
  }

  /** Places of all texts with this beginning: from the first up to, not including, the second. */
  keysFrom(beginning: string, work: WorkLimit): [from: number, to: number] {
    const wanted = Buffer.from(beginning);
    const { offsets } = this.parts.keys as TextKeys;
    const from = this.firstKey(beginning, work);
    work.spend(stepsOfLookup);
    let low = from;
    let high = this.keyCount;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const start = offsets[middle]!;
      const end = Math.min(offsets[middle + 1]!, start + wanted.length);
      if (this.texts!.compare(wanted, 0, wanted.length, start, end) <= 0) low = middle + 1;
      else high = middle;
    }
    return [from, low];
  }

  /** Null without a value. */
  valueOf(position: number): bigint | string | null {
    const key = this.rankOf(position);
    if (key === noRank) return null;
    const { keys } = this.parts;
    if ('integers' in keys) return keys.integers[key]!;
    return this.texts!.toString('utf8', keys.offsets[key], keys.offsets[key + 1]);
  }

  rowCountOf(key: number): number {
    return this.parts.starts[key + 1]! - this.parts.starts[key]!;
  }

  /** Visits the positions of the rows that have the value, ascending. */
  eachRow(key: number, visit: (position: number) => void): void {
    const { postings, starts } = this.parts;
    const end = starts[key + 1]!;
    for (let place = starts[key]!; place < end; place++) visit(postings[place]!);
  }

  isDense(key: number): boolean {
    return this.dense.has(key);
  }

  /** Steps of `hasRow`. */
  stepsToFind(key: number): number {
    return this.isDense(key) ? stepsOfRow : stepsOfSearchedRow;
  }

  hasRow(key: number, position: number): boolean {
    const bits = this.dense.get(key);
    if (bits) return hasBit(bits, position);
    const { postings, starts } = this.parts;
    let low = starts[key]!;
    const end = starts[key + 1]!;
    let high = end;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (postings[middle]! < position) low = middle + 1;
      else high = middle;
    }
    return low < end && postings[low] === position;
  }

  /** The rows of a value that very many rows have; undefined for others. Nobody may change it. */
  denseRows(key: number): Bits | undefined {
    return this.dense.get(key);
  }

  addKey(key: number, bits: Bits, work: WorkLimit): void {
    const dense = this.dense.get(key);
    if (!dense) {
      this.addPostings(this.parts.starts[key]!, this.parts.starts[key + 1]!, bits, work);
      return;
    }
    work.spend(this.wordCount);
    orInto(bits, dense);
  }

  /** Adds the rows that have a value of this interval of places. */
  addKeys(fromKey: number, toKey: number, bits: Bits, work: WorkLimit): void {
    if (fromKey >= toKey) return;
    const { starts, stepCount, postings } = this.parts;
    const [from, to] = [starts[fromKey]!, starts[toKey]!];
    const postingOf = (step: number) => postingOfStep(step, stepCount, postings.length);
    let [low, high] = [0, 0];
    if (stepCount > 0) {
      low = Math.ceil((from * stepCount) / postings.length);
      while (postingOf(low) < from) low += 1;
      high = Math.floor((to * stepCount) / postings.length);
      while (high < stepCount && postingOf(high + 1) <= to) high += 1;
    }
    if (low >= high) {
      this.addRuns(fromKey, toKey, bits, work);
      return;
    }
    work.spend(this.wordCount);
    if (low === 0) orInto(bits, this.bitsOfStep(high));
    else orDifferenceInto(bits, this.bitsOfStep(high), this.bitsOfStep(low));
    this.addPostings(from, postingOf(low), bits, work);
    this.addPostings(postingOf(high), to, bits, work);
  }

  /** The different values of a column of integers, ascending. */
  get integers(): BigInt64Array {
    return (this.parts.keys as IntegerKeys).integers;
  }

  /** Adds the rows of the values whose counterpart is among `selected`, which are `count`. */
  addLinked({ keys, others }: KeyLink, selected: Bits, count: number, bits: Bits, work: WorkLimit): void {
    const add = (pair: number) => {
      const key = keys[pair]!;
      this.addPostings(this.parts.starts[key]!, this.parts.starts[key + 1]!, bits, work);
    };
    if (count * searchedPerPair > keys.length) {
      work.spend(keys.length);
      for (let pair = 0; pair < keys.length; pair++) if (hasBit(selected, others[pair]!)) add(pair);
      return;
    }
    // Both are ascending, so each is looked for behind the one before.
    work.spend(selected.length + count * stepsOfSearchedRow);
    let pair = 0;
    eachPosition(selected, 0, (position) => {
      pair = firstAtLeast(others, position, pair);
      if (others[pair] === position) add(pair);
      return pair < others.length;
    });
  }

  /** Place of the row's value in the order of a sorted column; `noRank` without one. */
  rankOf(position: number): number {
    return this.parts.ranks[position]!;
  }

  /** Adds the bits of values that have some, and the lists of the others between them. */
  private addRuns(fromKey: number, toKey: number, bits: Bits, work: WorkLimit): void {
    const { starts, denseKeys } = this.parts;
    let next = fromKey;
    for (const key of denseKeys) {
      if (key < fromKey) continue;
      if (key >= toKey) break;
      this.addPostings(starts[next]!, starts[key]!, bits, work);
      this.addKey(key, bits, work);
      next = key + 1;
    }
    this.addPostings(starts[next]!, starts[toKey]!, bits, work);
  }

  private addPostings(from: number, to: number, bits: Bits, work: WorkLimit): void {
    work.spend((to - from) * stepsOfRow);
    const { postings } = this.parts;
    for (let place = from; place < to; place++) setBit(bits, postings[place]!);
  }

  private bitsOfStep(step: number): Bits {
    return this.parts.stepBits.subarray((step - 1) * this.wordCount, step * this.wordCount);
  }

  /** Compares the value at a place with the given one. */
  private orderOf(value: bigint | string): (key: number) => number {
    const { keys } = this.parts;
    if ('integers' in keys) {
      const wanted = BigInt(value);
      return (key) => {
        const found = keys.integers[key]!;
        return found < wanted ? -1 : found > wanted ? 1 : 0;
      };
    }
    const wanted = Buffer.from(value as string);
    const { offsets } = keys;
    return (key) => this.texts!.compare(wanted, 0, wanted.length, offsets[key], offsets[key + 1]);
  }
}

/** Place of the first of these numbers that is not below the value, from a place on; they are ascending. */
function firstAtLeast(numbers: Uint32Array, value: number, from: number): number {
  let low = from;
  let high = numbers.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (numbers[middle]! < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Of the first number that is not below the value; they are ascending. */
export function firstPlace(integers: BigInt64Array, value: bigint): number {
  let low = 0;
  let high = integers.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (integers[middle]! < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The steps divide the postings into equal parts; step 0 begins at 0. */
export function postingOfStep(step: number, stepCount: number, postingCount: number): number {
  return Math.floor((step * postingCount) / stepCount);
}
