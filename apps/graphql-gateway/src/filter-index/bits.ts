// Sets of row positions as bits: position p is bit p % 32 of word p / 32. Words are Int32, which the engine keeps in
// registers; Uint32 would make it convert every word to a double.

export type Bits = Int32Array;

export function wordsFor(positions: number): number {
  return Math.ceil(positions / 32);
}

export function setBit(bits: Bits, position: number): void {
  bits[position >>> 5]! |= 1 << (position & 31);
}

export function clearBit(bits: Bits, position: number): void {
  bits[position >>> 5]! &= ~(1 << (position & 31));
}

export function hasBit(bits: Bits, position: number): boolean {
  return ((bits[position >>> 5]! >>> (position & 31)) & 1) === 1;
}

/** Makes `bits` the set of the positions below `count`. */
export function setAll(bits: Bits, count: number): void {
  bits.fill(-1);
  if (count % 32 !== 0) bits[bits.length - 1] = (1 << (count % 32)) - 1;
}

/** The positions of `bits` that are not in `except`. */
export interface Difference {
  bits: Bits;
  except: Bits;
}

/** Adds the words of `other` from `from` up to `to` to `block`, which begins at `from`. */
export function orInto(block: Bits, other: Bits, from: number, to: number): void {
  for (let word = from; word < to; word++) block[word - from]! |= other[word]!;
}

export function orDifferenceInto(block: Bits, { bits, except }: Difference, from: number, to: number): void {
  for (let word = from; word < to; word++) block[word - from]! |= bits[word]! & ~except[word]!;
}

// One loop for each number of sets: a loop over words takes as long as it has loads and stores. The sets are united,
// and inverted where `inverted` is -1 instead of 0. Each goes over the words from `from` up to, not including, `to`.

export function andInto(bits: Bits, a: Bits, inverted: number, from: number, to: number): void {
  for (let word = from; word < to; word++) bits[word]! &= a[word]! ^ inverted;
}

export function andTwoInto(bits: Bits, a: Bits, b: Bits, inverted: number, from: number, to: number): void {
  for (let word = from; word < to; word++) bits[word]! &= (a[word]! | b[word]!) ^ inverted;
}

export function andThreeInto(bits: Bits, a: Bits, b: Bits, c: Bits, inverted: number, from: number, to: number): void {
  for (let word = from; word < to; word++) bits[word]! &= (a[word]! | b[word]! | c[word]!) ^ inverted;
}

export function andDifferenceInto(
  bits: Bits,
  { bits: a, except }: Difference,
  b: Bits,
  inverted: number,
  from: number,
  to: number,
): void {
  for (let word = from; word < to; word++) bits[word]! &= ((a[word]! & ~except[word]!) | b[word]!) ^ inverted;
}

/** @param block begins at `from` */
export function andBlockInto(bits: Bits, block: Bits, inverted: number, from: number, to: number): void {
  for (let word = from; word < to; word++) bits[word]! &= block[word - from]! ^ inverted;
}

/** Whether no position is in the words from `from` up to `to`. */
export function areZero(bits: Bits, from: number, to: number): boolean {
  for (let word = from; word < to; word++) if (bits[word] !== 0) return false;
  return true;
}

/**
 * How many positions the words from `from` up to `to` hold. Eight words at a time are added up bit by bit, with carries
 * (Harley and Seal; Warren, Hacker's Delight, 5-1), so that the bits of one word are counted instead of those of eight.
 */
export function countBits(bits: Bits, from = 0, to = bits.length): number {
  let eights = 0;
  let ones = 0;
  let twos = 0;
  let fours = 0;
  let word = from;
  for (; word + 8 <= to; word += 8) {
    // Plain loads: taking them apart from an array literal costs more than all the rest.
    const a = bits[word]!;
    const b = bits[word + 1]!;
    const c = bits[word + 2]!;
    const d = bits[word + 3]!;
    const e = bits[word + 4]!;
    const f = bits[word + 5]!;
    const g = bits[word + 6]!;
    const h = bits[word + 7]!;
    const twosA = carry(ones, a, b);
    ones ^= a ^ b;
    const twosB = carry(ones, c, d);
    ones ^= c ^ d;
    const foursA = carry(twos, twosA, twosB);
    twos ^= twosA ^ twosB;
    const twosC = carry(ones, e, f);
    ones ^= e ^ f;
    const twosD = carry(ones, g, h);
    ones ^= g ^ h;
    const foursB = carry(twos, twosC, twosD);
    twos ^= twosC ^ twosD;
    eights += bitsOfWord(carry(fours, foursA, foursB));
    fours ^= foursA ^ foursB;
  }
  let total = 8 * eights + 4 * bitsOfWord(fours) + 2 * bitsOfWord(twos) + bitsOfWord(ones);
  for (; word < to; word++) total += bitsOfWord(bits[word]!);
  return total;
}

/** The bits that two or three of the words have. */
function carry(a: number, b: number, c: number): number {
  return (a & b) | ((a ^ b) & c);
}

function bitsOfWord(word: number): number {
  const pairs = (word - ((word >>> 1) & 0x55555555)) | 0;
  const fours = ((pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333)) | 0;
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

/** Adds the positions from `from` up to the word `endWord` to `found`, ascending, until there are `limit`. */
export function positionsIn(
  bits: Bits,
  { from, endWord, limit, found }: { from: number; endWord: number; limit: number; found: number[] },
): void {
  let word = from >>> 5 < endWord ? bits[from >>> 5]! & (-1 << (from & 31)) : 0;
  for (let index = from >>> 5; index < endWord;) {
    for (; word !== 0; word &= word - 1) {
      if (found.length === limit) return;
      found.push((index << 5) + (31 - Math.clz32(word & -word)));
    }
    do index += 1;
    while (index < endWord && bits[index] === 0);
    word = bits[index] ?? 0;
  }
}
