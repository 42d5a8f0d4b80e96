/** Thrown by a build that would exceed its memory limit. */
export class IndexTooLarge extends Error {
  constructor(
    readonly bytesWanted: number,
    readonly bytesMax: number,
  ) {
    super(`the index needs more than ${Math.floor(bytesMax / 2 ** 20)} MiB`);
  }
}

/** Counts what a build allocates and stops it before it exceeds its limit. */
export class MemoryBudget {
  private taken = 0;

  constructor(private readonly bytesMax: number) {}

  get bytes(): number {
    return this.taken;
  }

  /** @throws IndexTooLarge */
  take(bytes: number): void {
    if (this.taken + bytes > this.bytesMax) throw new IndexTooLarge(this.taken + bytes, this.bytesMax);
    this.taken += bytes;
  }

  release(bytes: number): void {
    this.taken -= bytes;
  }
}
