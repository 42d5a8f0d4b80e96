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

/** A set as the rows of `bits` that are not in `except`. */
export interface BitsWithout {
  bits: Bits;
  except?: Bits;
}

// The loops below go from word `from` up to, not including, `to`, so that a caller who works block by block stays within the
// processor's nearest cache. `block` holds the words of such a block, its first one for word `from`.

/** Makes `block` the union of the sets. */
export function uniteInto(block: Bits, sets: readonly BitsWithout[], from: number, to: number): void {
  for (const [index, { bits, except }] of sets.entries()) {
    if (index === 0 && !except) block.set(bits.subarray(from, to));
    else if (index === 0) for (let word = from; word < to; word++) block[word - from] = bits[word]! & ~except![word]!;
    else if (except) for (let word = from; word < to; word++) block[word - from]! |= bits[word]! & ~except[word]!;
    else for (let word = from; word < to; word++) block[word - from]! |= bits[word]!;
  }
}

export function andBlockInto(bits: Bits, block: Bits, from: number, to: number): void {
  for (let word = from; word < to; word++) bits[word]! &= block[word - from]!;
}

export function andNotBlockInto(bits: Bits, block: Bits, from: number, to: number): void {
  for (let word = from; word < to; word++) bits[word]! &= ~block[word - from]!;
}

export function andInto(bits: Bits, other: Bits, from: number, to: number): void {
  for (let word = from; word < to; word++) bits[word]! &= other[word]!;
}

export function andNotInto(bits: Bits, other: Bits, from: number, to: number): void {
  for (let word = from; word < to; word++) bits[word]! &= ~other[word]!;
}

export function countBits(bits: Bits, from: number, to: number): number {
  let total = 0;
  for (let index = from; index < to; index++) {
    let word = bits[index]!;
    word -= (word >>> 1) & 0x55555555;
    word = (word & 0x33333333) + ((word >>> 2) & 0x33333333);
    total += Math.imul((word + (word >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
  }
  return total;
}

/** The first `limit` positions of the set from `from` on, in ascending order. */
export function positionsFrom(bits: Bits, from: number, limit: number): number[] {
  const found: number[] = [];
  let index = from >>> 5;
  if (index >= bits.length) return found;
  let word = bits[index]! & (-1 << (from & 31));
  while (found.length < limit) {
    if (word === 0) {
      index += 1;
      if (index >= bits.length) return found;
      word = bits[index]!;
      continue;
    }
    const lowest = word & -word;
    found.push((index << 5) + (31 - Math.clz32(lowest)));
    word ^= lowest;
  }
  return found;
}
