// Random numbers that depend on a seed and a place alone, so that any row can be made without those before it.

export class Random {
  private state: number;

  /** The same seed, stream and index give the same numbers. */
  constructor(seed: number, stream: number, index: number) {
    this.state = mix(mix(mix(seed) ^ stream) ^ index);
  }

  /** From 0 up to, not including, 1 (mulberry32). */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let value = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value;
    return ((value ^ (value >>> 14)) >>> 0) / 4_294_967_296;
  }

  /** An integer between two, both included. */
  between(min: number, max: number): number {
    return min + Math.floor(this.next() * (max - min + 1));
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(list: readonly T[]): T {
    return list[Math.floor(this.next() * list.length)]!;
  }

  /** Any entry of a directory; undefined when it is empty. */
  entry<T>({ count, at }: { count: number; at: (place: number) => T }): T | undefined {
    return count === 0 ? undefined : at(Math.floor(this.next() * count));
  }

  /** Like pick, but places towards the front are likelier, roughly as in Zipf's law. */
  pickSkewed<T>(list: readonly T[]): T {
    return list[Math.floor((list.length + 1) ** this.next()) - 1]!;
  }

  /** Distinct elements, `count` at most. */
  sample<T>(list: readonly T[], count: number): T[] {
    const chosen = new Set<T>();
    for (let tries = 0; chosen.size < count && tries < count * 4; tries++) chosen.add(this.pickSkewed(list));
    return [...chosen];
  }

  /** Spread evenly over orders of magnitude. */
  logBetween(min: number, max: number): number {
    return min * (max / min) ** this.next();
  }

  /** A day between two, both included, as `YYYY-MM-DD`. */
  date(from: string, to: string): string {
    const first = Date.parse(from) / 86_400_000;
    const last = Date.parse(to) / 86_400_000;
    return new Date(this.between(first, last) * 86_400_000).toISOString().slice(0, 10);
  }
}

/** Spreads the bits of an integer over the whole word (the finisher of MurmurHash3). */
function mix(value: number): number {
  let hash = value | 0;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return hash ^ (hash >>> 16);
}
