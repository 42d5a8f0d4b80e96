// Which login is next when more arrive than passwords can be checked. Known browsers go first, and otherwise networks
// take turns: a flood of wrong passwords delays itself, not the others.
// At most `waitingMax` of each kind wait. A full queue refuses the newest login of the longest lane.

export interface Lane {
  /** A browser that signed in to this account before. */
  isKnown: boolean;
  /** The browser or the network. */
  key: string;
}

interface Place {
  serve: () => void;
  refuse: (reason: Error) => void;
}

/** While both kinds wait, one place in this many goes to an unknown browser. */
const knownInARowMax = 4;

export class FairQueue {
  private running = 0;
  private knownInARow = 0;
  private readonly known: Lanes;
  private readonly others: Lanes;

  constructor(
    private readonly options: {
      parallel: number;
      waitingMax: number;
      /** The error of a login that is refused. */
      refusal: () => Error;
    },
  ) {
    this.known = new Lanes(options.waitingMax);
    this.others = new Lanes(options.waitingMax);
  }

  async run<T>(lane: Lane, work: () => Promise<T>): Promise<T> {
    if (this.running >= this.options.parallel) await this.wait(lane);
    else this.running += 1;
    try {
      return await work();
    } finally {
      // The place passes directly to the next login, if one waits.
      const next = this.next();
      if (next) next.serve();
      else this.running -= 1;
    }
  }

  private wait({ isKnown, key }: Lane): Promise<void> {
    return new Promise((resolve, reject) => {
      const refused = (isKnown ? this.known : this.others).add(key, { serve: resolve, refuse: reject });
      refused?.refuse(this.options.refusal());
    });
  }

  private next(): Place | undefined {
    const othersFirst = this.knownInARow >= knownInARowMax - 1;
    const place = othersFirst ? this.others.take() : this.known.take();
    if (place) {
      this.knownInARow = othersFirst ? 0 : this.knownInARow + 1;
      return place;
    }
    this.knownInARow = 0;
    return othersFirst ? this.known.take() : this.others.take();
  }
}

/** Places by lane; the lanes take turns. */
class Lanes {
  private readonly lanes = new Map<string, Place[]>();
  private size = 0;

  constructor(private readonly sizeMax: number) {}

  /** @returns the place that has to go: one of the longest lane, or the one just given */
  add(key: string, place: Place): Place | undefined {
    if (this.size >= this.sizeMax) {
      const [longestKey, longest] = [...this.lanes].reduce((one, other) =>
        other[1].length > one[1].length ? other : one,
      );
      const own = this.lanes.get(key)?.length ?? 0;
      if (longest.length <= own + 1) return place;
      const refused = longest.pop();
      this.size -= 1;
      if (longest.length === 0) this.lanes.delete(longestKey);
      this.put(key, place);
      return refused;
    }
    this.put(key, place);
    return undefined;
  }

  take(): Place | undefined {
    for (const [key, lane] of this.lanes) {
      const place = lane.shift();
      this.size -= 1;
      // To the end of the line of lanes.
      this.lanes.delete(key);
      if (lane.length > 0) this.lanes.set(key, lane);
      return place;
    }
    return undefined;
  }

  private put(key: string, place: Place): void {
    const lane = this.lanes.get(key);
    if (lane) lane.push(place);
    else this.lanes.set(key, [place]);
    this.size += 1;
  }
}
