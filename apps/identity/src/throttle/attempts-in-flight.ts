// An attempt is counted before it is made, so a window can be full of attempts that are about to succeed. Whoever finds
// it full waits for those of this process and asks again; only failures are left to refuse anybody. Attempts in flight
// at another replica are not seen: they can refuse a burst of right passwords, as they refuse a burst of guesses.

interface Window {
  open: number;
  waiting: (() => void)[];
}

export class AttemptsInFlight {
  private readonly windows = new Map<string, Window>();
  private waitingCount = 0;

  /** How many wait, over all windows. */
  get waiting(): number {
    return this.waitingCount;
  }

  /** @returns to be called once, when what the attempt came to is stored, or cannot be */
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

  /** Resolves when it is worth asking again. Undefined: one of these full windows has nothing in flight, and stays full. */
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
      // It has made room for one at least. A failure has made none.
      window.waiting.shift()?.();
    }
  }
}
