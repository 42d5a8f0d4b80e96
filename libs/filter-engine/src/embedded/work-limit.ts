// How much work one query may be. All requests share the thread that answers, so whoever asks for more is left to
// PostgreSQL. The work is counted in steps before it is done, from the sizes of the index. So no filter, however it is
// made, holds the thread for longer.

/** A step takes one to three nanoseconds, so this is some 50 ms. */
export const stepsMax = 25_000_000;

/** Steps of looking up a value: a binary search in all values of a column, far apart in memory. */
export const stepsOfLookup = 4_000;
/** Of looking up an id: a binary search in integers that lie together. */
export const stepsOfIdLookup = 400;
/** Of finding out by a binary search whether a row is among those of a value. */
export const stepsOfSearchedRow = 60;
/** Of a row that is marked or checked by its bit. */
export const stepsOfRow = 2;
/** Of a row that is visited in the order of a column, somewhere in memory. */
export const stepsOfWalkedRow = 6;
/** Of looking at the rank of a row that is visited in the order of positions. */
export const stepsOfLook = 4;
/** Of comparing two rows by one key of an order. */
export const stepsOfComparison = 12;

/** Thrown within a query; no caller of the engine sees it. */
export class TooCostly extends Error {}

export class WorkLimit {
  private left: number;

  constructor(private readonly max = stepsMax) {
    this.left = max;
  }

  get spent(): number {
    return this.max - this.left;
  }

  /** @throws TooCostly */
  spend(steps: number): void {
    this.left -= steps;
    if (this.left < 0) throw new TooCostly();
  }
}
