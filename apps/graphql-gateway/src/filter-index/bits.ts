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

export function orInto(bits: Bits, other: Bits): void {
  for (let word = 0; word < bits.length; word++) bits[word]! |= other[word]!;
}

export function orDifferenceInto(bits: Bits, { bits: other, except }: Difference): void {
  for (let word = 0; word < bits.length; word++) bits[word]! |= other[word]! & ~except[word]!;
}

// One loop for each number of sets: a loop over words takes as long as it has loads and stores. The sets are united, and
// inverted where `inverted` is -1 instead of 0.

export function andInto(bits: Bits, a: Bits, inverted: number): void {
  for (let word = 0; word < bits.length; word++) bits[word]! &= a[word]! ^ inverted;
}

export function andTwoInto(bits: Bits, a: Bits, b: Bits, inverted: number): void {
  for (let word = 0; word < bits.length; word++) bits[word]! &= (a[word]! | b[word]!) ^ inverted;
}

export function andThreeInto(bits: Bits, a: Bits, b: Bits, c: Bits, inverted: number): void {
  for (let word = 0; word < bits.length; word++) bits[word]! &= (a[word]! | b[word]! | c[word]!) ^ inverted;
}

export function andDifferenceInto(bits: Bits, { bits: a, except }: Difference, b: Bits, inverted: number): void {
  for (let word = 0; word < bits.length; word++) bits[word]! &= ((a[word]! & ~except[word]!) | b[word]!) ^ inverted;
}

export function countBits(bits: Bits): number {
  let total = 0;
  for (let index = 0; index < bits.length; index++) {
    let word = bits[index]!;
    if (word === 0) continue;
    word -= (word >>> 1) & 0x55555555;
    word = (word & 0x33333333) + ((word >>> 2) & 0x33333333);
    total += Math.imul((word + (word >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
  }
  return total;
}

/** The first `limit` positions of the set from `from` on, in ascending order. */
export function positionsFrom(bits: Bits, from: number, limit: number): number[] {
  const found: number[] = [];
  let word = from >>> 5 < bits.length ? bits[from >>> 5]! & (-1 << (from & 31)) : 0;
  for (let index = from >>> 5; index < bits.length;) {
    for (; word !== 0; word &= word - 1) {
      if (found.length === limit) return found;
      found.push((index << 5) + (31 - Math.clz32(word & -word)));
    }
    do index += 1;
    while (index < bits.length && bits[index] === 0);
    word = bits[index] ?? 0;
  }
  return found;
}
