import { mayComeFromData } from './database/database-failure.js';

/**
 * Turns many small writes into few large ones without a timer: while one group is written, the next one gathers. On an
 * idle service a single item is written at once. Under load, all items that arrive during a write share the next one.
 *
 * Failure: when `write` throws, every item of that group rejects with the error; other groups go on. With
 * `splitsFaultyGroups`, an error that data can cause makes it write the group again in halves, down to single items. So
 * only the faulty item rejects. Ordering: groups are written in order of arrival; with `parallel` above 1 they may
 * finish in another order.
 */
export class GroupCommit<Item, Result> {
  private waiting: { item: Item; resolve: (result: Result) => void; reject: (error: unknown) => void }[] = [];
  private underWay = 0;
  private lastBegunAt = 0;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly options: {
      /** Writes a group; returns one result for each item, in their order. */
      write: (items: Item[]) => Promise<Result[]>;
      /** Most items of one group. */
      groupSizeMax: number;
      /** Groups written at the same time; 1 by default. */
      parallel?: number;
      /**
       * Least time between the starts of parallel groups, milliseconds; none by default. More time makes larger groups.
       */
      besideAfterMs?: number;
      /** Only where `write` may be repeated with items of a call that failed. */
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

  /** Items that wait for their group. */
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
