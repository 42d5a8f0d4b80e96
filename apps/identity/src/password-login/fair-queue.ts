// Which login is next when more arrive than passwords can be checked. Known browsers go first, and otherwise networks
// take turns: a flood of wrong passwords delays itself, not the others.
// At most `waitingMax` of each kind wait. A full queue refuses the newest login of the origin that has most.

/** Who a login comes from. */
export interface Origin {
  /** A browser that signed in to this account before. */
  isKnown: boolean;
  /** The browser or the network. */
  key: string;
}

interface Waiting {
  serve: () => void;
  refuse: (reason: Error) => void;
}

/** While both kinds wait, one turn in this many goes to an unknown browser. */
const knownInARowMax = 4;

export class FairQueue {
  private running = 0;
  private knownInARow = 0;
  private readonly known: Origins;
  private readonly others: Origins;

  constructor(
    private readonly options: {
      parallel: number;
      waitingMax: number;
      /** The error of a login that is refused. */
      refusal: () => Error;
    },
  ) {
    this.known = new Origins(options.waitingMax);
    this.others = new Origins(options.waitingMax);
  }

  async run<T>(origin: Origin, work: () => Promise<T>): Promise<T> {
    if (this.running >= this.options.parallel) await this.wait(origin);
    else this.running += 1;
    try {
      return await work();
    } finally {
      // The next login begins, if one waits.
      const next = this.next();
      if (next) next.serve();
      else this.running -= 1;
    }
  }

  private wait({ isKnown, key }: Origin): Promise<void> {
    return new Promise((resolve, reject) => {
      const refused = (isKnown ? this.known : this.others).add(key, { serve: resolve, refuse: reject });
      refused?.refuse(this.options.refusal());
    });
  }

  private next(): Waiting | undefined {
    const othersFirst = this.knownInARow >= knownInARowMax - 1;
    const next = othersFirst ? this.others.take() : this.known.take();
    if (next) {
      this.knownInARow = othersFirst ? 0 : this.knownInARow + 1;
      return next;
    }
    this.knownInARow = 0;
    return othersFirst ? this.known.take() : this.others.take();
  }
}

/** The logins of each origin; the origins take turns. */
class Origins {
  private readonly byKey = new Map<string, Waiting[]>();
  private size = 0;

  constructor(private readonly sizeMax: number) {}

  /** @returns the login to refuse: one of the origin that has most, or the one just given */
  add(key: string, login: Waiting): Waiting | undefined {
    if (this.size >= this.sizeMax) {
      const [longestKey, longest] = [...this.byKey].reduce((one, other) =>
        other[1].length > one[1].length ? other : one,
      );
      const own = this.byKey.get(key)?.length ?? 0;
      if (longest.length <= own + 1) return login;
      const refused = longest.pop();
      this.size -= 1;
      if (longest.length === 0) this.byKey.delete(longestKey);
      this.put(key, login);
      return refused;
    }
    this.put(key, login);
    return undefined;
  }

  take(): Waiting | undefined {
    for (const [key, logins] of this.byKey) {
      const next = logins.shift();
      this.size -= 1;
      // Its next turn is after those of all others.
      this.byKey.delete(key);
      if (logins.length > 0) this.byKey.set(key, logins);
      return next;
    }
    return undefined;
  }

  private put(key: string, login: Waiting): void {
    const logins = this.byKey.get(key);
    if (logins) logins.push(login);
    else this.byKey.set(key, [login]);
    this.size += 1;
  }
}
