/** The same numbers in every run with the same seed (mulberry32). */
export class Dice {
  constructor(private state: number) {}

  /** From 0 up to, not including, 1. */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  below(limit: number): number {
    return Math.floor(this.next() * limit);
  }

  chance(share: number): boolean {
    return this.next() < share;
  }

  one<T>(of: readonly T[]): T {
    return of[this.below(of.length)]!;
  }

  /** So many different places of the list, or all of them. */
  some<T>(of: readonly T[], count: number): T[] {
    const left = [...of];
    return Array.from({ length: Math.min(count, of.length) }, () => left.splice(this.below(left.length), 1)[0]!);
  }
}
