// The requests of one route that a service works on, and how long one more would wait for them.

/** So many are taken however long they take: a burst of some callers is no overload. */
const alwaysTaken = 150;
/** A request is refused that would wait longer for those before it, milliseconds. */
const waitMsMax = 500;
/** Share of the newest interval in the mean. */
const weight = 1 / 32;

export class RequestsUnderWay<Request> {
  private readonly requests = new Set<Request>();
  /** Mean time between two ends while more than a few are under way, milliseconds: what each one before it costs. */
  private msBetweenEnds = 0;
  private lastEndAtMs = 0;

  constructor(
    private readonly max: number,
    /** Milliseconds that only rise. */
    private readonly nowMs: () => number = () => performance.now(),
  ) {}

  get count(): number {
    return this.requests.size;
  }

  get isFull(): boolean {
    const { size } = this.requests;
    return size >= this.max || (size >= alwaysTaken && size * this.msBetweenEnds > waitMsMax);
  }

  begin(request: Request): void {
    this.requests.add(request);
    if (this.requests.size === alwaysTaken) this.lastEndAtMs = this.nowMs();
  }

  /** Does nothing for a request that has ended before. */
  end(request: Request): void {
    const { size } = this.requests;
    if (!this.requests.delete(request) || size < alwaysTaken) return;
    const nowMs = this.nowMs();
    this.msBetweenEnds += (nowMs - this.lastEndAtMs - this.msBetweenEnds) * weight;
    this.lastEndAtMs = nowMs;
  }
}
