// How many statements of one kind run at once. Further ones wait in the order they came, for a bounded time; then the
// request is refused, so slow statements never take all connections.
import { ServiceError } from '@tradewind/shared-types';

export interface StatementPlacesOptions {
  /** Statements at once. */
  places: number;
  waitMsMax: number;
  retryAfterSeconds: number;
  message: string;
  onRefused: () => void;
}

interface Waiting {
  begin: () => void;
}

export class StatementPlaces {
  private underWay = 0;
  private readonly waiting = new Set<Waiting>();

  constructor(private readonly options: StatementPlacesOptions) {}

  /** Statements that wait for a place. */
  get waitingCount(): number {
    return this.waiting.size;
  }

  /** @throws ServiceError 503 when there is no place in time; then `work` was not called */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.underWay < this.options.places) this.underWay += 1;
    else await this.place();
    try {
      return await work();
    } finally {
      this.free();
    }
  }

  /**
   * Takes a place without a wait, also when all are taken: for what runs already. Nothing else begins until there are
   * fewer again.
   * @returns what frees it
   */
  take(): () => void {
    this.underWay += 1;
    return () => this.free();
  }

  /** Resolves when the place of an earlier statement is handed over. */
  private place(): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.waiting.delete(waiting);
        reject(this.refusal());
      }, this.options.waitMsMax);
      const waiting: Waiting = {
        begin: () => {
          clearTimeout(timer);
          resolve();
        },
      };
      this.waiting.add(waiting);
    });
  }

  private free(): void {
    const [next] = this.waiting;
    if (!next || this.underWay > this.options.places) {
      this.underWay -= 1;
      return;
    }
    this.waiting.delete(next);
    next.begin();
  }

  private refusal(): ServiceError {
    const { message, retryAfterSeconds, onRefused } = this.options;
    onRefused();
    return new ServiceError({ code: 'data.busy', status: 503, message, retryable: true, retryAfterSeconds });
  }
}
