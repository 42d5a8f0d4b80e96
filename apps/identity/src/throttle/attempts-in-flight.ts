// An attempt is counted before it is made, so a window can be full of attempts that are about to succeed. A login that
// finds it full waits for those of this process and asks again, so that only failures refuse it. Logins that wait for a
// window go on in the order in which they came, and later ones queue behind them. Otherwise a later login would find
// the place that a success left, and the first to wait would wait longest. Attempts in flight at other replicas are
// unknown here: they may refuse a burst of correct passwords, as they refuse a burst of guesses.

/** The place of a login in the order of arrival. */
export type Arrival = number;

interface Waiter {
  arrival: Arrival;
  wake: () => void;
}

interface Window {
  open: number;
  /** By arrival. */
  waiting: Waiter[];
}

export class AttemptsInFlight {
  private readonly windows = new Map<string, Window>();
  private waitingCount = 0;
  private arrivals = 0;

  /** The number of waiting logins, over all windows. */
  get waiting(): number {
    return this.waitingCount;
  }

  arrive(): Arrival {
    this.arrivals += 1;
    return this.arrivals;
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

  /** The first of these windows for which other logins wait already. */
  waitedFor(keys: readonly string[]): string | undefined {
    return keys.find((key) => this.windows.get(key)?.waiting.length);
  }

  /** The window to wait for before asking again. Undefined: one of these full windows has no attempt in flight. */
  leavingRoom(fullKeys: readonly string[]): string | undefined {
    return fullKeys.every((key) => this.windows.has(key)) ? fullKeys[0] : undefined;
  }

  /** Resolves when it is worth asking for a place in this window, which has an attempt in flight. */
  wait(key: string, arrival: Arrival): Promise<void> {
    const { waiting } = this.windows.get(key)!;
    this.waitingCount += 1;
    return new Promise<void>((resolve) => {
      const before = waiting.findLastIndex((other) => other.arrival < arrival);
      waiting.splice(before + 1, 0, { arrival, wake: resolve });
    }).finally(() => (this.waitingCount -= 1));
  }

  /** For a login that was woken and begins no attempt: the place is for the next. */
  passOn(key: string): void {
    this.windows.get(key)?.waiting.shift()?.wake();
  }

  private settle(key: string, succeeded: boolean): void {
    const window = this.windows.get(key)!;
    window.open -= 1;
    if (window.open === 0) {
      this.windows.delete(key);
      for (const { wake } of window.waiting) wake();
    } else if (succeeded) {
      // A success makes room for at least one. A failure makes none.
      window.waiting.shift()?.wake();
    }
  }
}
