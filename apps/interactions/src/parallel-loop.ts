import { BackgroundLoop, type Logger } from '@tradewind/service-kit';

export interface ParallelLoopOptions<T> {
  /** For the log. */
  name: string;
  intervalMs: number;
  /** Most pieces of work at once. */
  parallel: number;
  /** Takes up to `room` pieces of work that are due, exclusively. */
  claim: (room: number) => Promise<T[]>;
  /** Does one piece. What it throws is logged; the claim then runs out and the work is taken again. */
  work: (claimed: T, signal: AbortSignal) => Promise<void>;
  logger: Logger;
}

/**
 * Background work with several pieces at once. It claims as much as there is room for, and claims again whenever a
 * piece is finished, so one slow piece does not delay the others. `stop` waits for the pieces that have begun.
 */
export class ParallelLoop<T> {
  private readonly onTheWay = new Set<Promise<void>>();
  private readonly stopping = new AbortController();
  private readonly loop: BackgroundLoop;

  constructor(private readonly options: ParallelLoopOptions<T>) {
    const { name, intervalMs, logger } = options;
    this.loop = new BackgroundLoop({ name, intervalMs, run: () => this.pass(), logger });
  }

  start(): void {
    this.loop.start();
  }

  /** Looks for work at once. */
  wake(): void {
    this.loop.wake();
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.loop.stop();
    await Promise.all(this.onTheWay);
  }

  private async pass(): Promise<void> {
    const room = this.options.parallel - this.onTheWay.size;
    if (room <= 0) return;
    for (const claimed of await this.options.claim(room)) {
      const work = this.options
        .work(claimed, this.stopping.signal)
        .catch((error: unknown) =>
          this.options.logger.error({ err: error, loop: this.options.name }, 'a piece of background work failed'),
        )
        .finally(() => {
          this.onTheWay.delete(work);
          this.loop.wake();
        });
      this.onTheWay.add(work);
    }
  }
}
