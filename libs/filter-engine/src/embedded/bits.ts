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

/** Adds the positions from `from` up to, not including, `to`. */
export function setRange(bits: Bits, from: number, to: number): void {
  if (from >= to) return;
  const [first, last] = [from >>> 5, (to - 1) >>> 5];
  const head = -1 << (from & 31);
  const tail = -1 >>> (31 - ((to - 1) & 31));
  if (first === last) {
    bits[first]! |= head & tail;
    return;
  }
  bits[first]! |= head;
  bits.fill(-1, first + 1, last);
  bits[last]! |= tail;
}

export function orInto(bits: Bits, other: Bits): void {
  for (let word = 0; word < bits.length; word++) bits[word]! |= other[word]!;
}

/** Adds the positions of `a` that are not in `except`. */
export function orDifferenceInto(bits: Bits, a: Bits, except: Bits): void {
  for (let word = 0; word < bits.length; word++) bits[word]! |= a[word]! & ~except[word]!;
}

export function andInto(bits: Bits, other: Bits): void {
  for (let word = 0; word < bits.length; word++) bits[word]! &= other[word]!;
}

export function andNotInto(bits: Bits, other: Bits): void {
  for (let word = 0; word < bits.length; word++) bits[word]! &= ~other[word]!;
}

export function isEmpty(bits: Bits): boolean {
  for (let word = 0; word < bits.length; word++) if (bits[word] !== 0) return false;
  return true;
}

/**
 * How many positions there are. Eight words at a time are added up bit by bit, with carries (Harley and Seal; Warren,
 * Hacker's Delight, 5-1). So the bits of one word are counted instead of those of eight.
 */
export function countBits(bits: Bits): number {
  let eights = 0;
  let ones = 0;
  let twos = 0;
  let fours = 0;
  let word = 0;
  for (; word + 8 <= bits.length; word += 8) {
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
  for (; word < bits.length; word++) total += bitsOfWord(bits[word]!);
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

/** Visits the positions from `from` on, ascending, until the visitor answers false. */
export function eachPosition(bits: Bits, from: number, visit: (position: number) => boolean): void {
  let index = from >>> 5;
  if (index >= bits.length) return;
  for (let word = bits[index]! & (-1 << (from & 31)); ;) {
    for (; word !== 0; word &= word - 1) {
      if (!visit((index << 5) + (31 - Math.clz32(word & -word)))) return;
    }
    do index += 1;
    while (index < bits.length && bits[index] === 0);
    if (index >= bits.length) return;
    word = bits[index]!;
  }
}

/** Visits the positions up to, not including, `to`, descending, until the visitor answers false. */
export function eachPositionDown(bits: Bits, to: number, visit: (position: number) => boolean): void {
  for (let index = (to - 1) >> 5; index >= 0; index--) {
    let word = bits[index]!;
    if (index === (to - 1) >> 5) word &= -1 >>> (31 - ((to - 1) & 31));
    while (word !== 0) {
      const bit = 31 - Math.clz32(word);
      if (!visit((index << 5) + bit)) return;
      word &= ~(1 << bit);
    }
  }
}
