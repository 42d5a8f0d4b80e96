import { monthsKept } from '../platform/service-settings.js';

/** The months of a run: the present one, then earlier ones, which buy everybody once more. */
export class Months {
  private index = 0;
  private readonly all: readonly string[];

  constructor(now: Date) {
    this.all = Array.from({ length: monthsKept + 1 }, (_, ago) =>
      new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - ago)).toISOString().slice(0, 7),
    );
  }

  get current(): string {
    // The index stays within the list.
    return this.all[this.index]!;
  }

  /** Goes on to the next month, unless another caller did so before. */
  completed(month: string): void {
    if (month === this.current && this.index < this.all.length - 1) this.index += 1;
  }
}
