import { mayComeFromData } from './database/database-failure.js';

/**
 * Turns many small writes into few large ones without making anybody wait for a timer: while one group is being
 * written, the next one gathers. A single writer on an idle service is written at once, alone; under load the cost
 * of a commit is shared by everything that arrived meanwhile.
 *
 * Failure: when `write` throws, every item of that group rejects with the error; other groups go on. With
 * `splitsFaultyGroups`, an error that the data of one item can cause makes the group be written again in halves, down to
 * single items, so that the faulty one alone rejects.
 * Ordering: groups in order of arrival; with `parallel` above 1 they may finish in another order.
 */
export class GroupCommit<Item, Result> {
  private waiting: { item: Item; resolve: (result: Result) => void; reject: (error: unknown) => void }[] = [];
  private underWay = 0;
  private lastBegunAt = 0;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly options: {
      /** Writes a group; answers one result for each item, in their order. */
      write: (items: Item[]) => Promise<Result[]>;
      /** Most items of one group. */
      groupSizeMax: number;
      /** Groups written at once; 1 unless given. */
      parallel?: number;
      /** A group beside another begins this long after it, milliseconds; at once unless given. The longer, the larger the groups. */
      besideAfterMs?: number;
      /** Only where `write` may be called again with items of a call that failed. */
      splitsFaultyGroups?: boolean;
    },
  ) {}

  /** Resolves once the group that holds the item is written. */
  add(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ item, resolve, reject });
      this.begin();
    });
  }

  /** Items that no write has taken up yet. */
  get waitingCount(): number {
    return this.waiting.length;
  }

  private begin(): void {
    const { parallel = 1, besideAfterMs = 0 } = this.options;
    if (this.waiting.length === 0 || this.underWay >= parallel) return;
    if (this.underWay > 0 && besideAfterMs > 0) {
      const waitMs = this.lastBegunAt + besideAfterMs - performance.now();
      if (waitMs > 0) return this.beginIn(waitMs);
    }
    this.underWay += 1;
    this.lastBegunAt = performance.now();
    // Everything that arrives in this turn of the event loop joins the group.
    setImmediate(() => {
      const group = this.waiting.splice(0, this.options.groupSizeMax);
      void this.write(group).finally(() => {
        this.underWay -= 1;
        this.begin();
      });
      this.begin();
    });
  }

  private beginIn(waitMs: number): void {
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      this.begin();
    }, waitMs);
  }

  private async write(group: typeof this.waiting): Promise<void> {
    if (group.length === 0) return;
    try {
      const results = await this.options.write(group.map(({ item }) => item));
      if (results.length !== group.length) throw new Error('a group was written without a result for each item');
      // The lengths are equal, so every index has a result.
      group.forEach(({ resolve }, index) => resolve(results[index] as Result));
    } catch (error) {
      if (this.options.splitsFaultyGroups && group.length > 1 && mayComeFromData(error)) {
        const half = Math.ceil(group.length / 2);
        await this.write(group.slice(0, half));
        return this.write(group.slice(half));
      }
      for (const { reject } of group) reject(error);
    }
  }
}
