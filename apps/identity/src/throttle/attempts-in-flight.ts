// An attempt is counted before it is made, so a window can be full of attempts that are about to succeed. A login that
// finds it full waits for those of this process and asks again, so that only failures refuse it. Attempts in flight at
// other replicas are unknown here: they may refuse a burst of correct passwords, as they refuse a burst of guesses.

interface Window {
  open: number;
  waiting: (() => void)[];
}

export class AttemptsInFlight {
  private readonly windows = new Map<string, Window>();
  private waitingCount = 0;

  /** The number of waiting logins, over all windows. */
  get waiting(): number {
    return this.waitingCount;
  }

  /** @returns a function to call once, when the result of the attempt is stored, or cannot be */
  begin(keys: readonly string[]): (succeeded: boolean) => void {
    for (const key of keys) {
      const window = this.windows.get(key);
      if (window) window.open += 1;
      else this.windows.set(key, { open: 1, waiting: [] });
    }
    return (succeeded) => {
      for (const key of keys) this.settle(key, succeeded);
    };
  }

  /** Resolves when it is worth asking again. Undefined: one of these full windows has no attempt in flight. */
  untilOneSettles(fullKeys: readonly string[]): Promise<void> | undefined {
    const windows = fullKeys.map((key) => this.windows.get(key));
    const [window] = windows;
    if (!window || windows.includes(undefined)) return undefined;
    this.waitingCount += 1;
    return new Promise<void>((resolve) => window.waiting.push(resolve)).finally(() => (this.waitingCount -= 1));
  }

  private settle(key: string, succeeded: boolean): void {
    const window = this.windows.get(key)!;
    window.open -= 1;
    if (window.open === 0) {
      this.windows.delete(key);
      for (const wake of window.waiting) wake();
    } else if (succeeded) {
      // A success makes room for at least one. A failure makes none.
      window.waiting.shift()?.();
    }
  }
}
