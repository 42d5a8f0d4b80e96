import type { Logger } from './logger.js';

export interface BackgroundLoopOptions {
  /** For the log. */
  name: string;
  /** Pause between passes that found nothing more to do, milliseconds. */
  intervalMs: number;
  /** Pause before the first pass, milliseconds; none unless given. For what nobody waits for, such as cleaning up. */
  startsAfterMs?: number;
  /**
   * Least pause after a pass, milliseconds, even when it was woken meanwhile; none unless given. What arrives during it
   * is taken together, and a wake after a longer silence still begins at once.
   */
  restMs?: number;
  /** One pass. True means there is more: the next pass follows at once. The signal is aborted by `stop`. */
  run: (signal: AbortSignal) => Promise<boolean | void>;
  logger: Logger;
}

/**
 * Work that a service does beside its requests: one pass at a time, then a pause.
 * A pass that throws is logged and tried again after the pause; the loop goes on.
 */
export class BackgroundLoop {
  private readonly abort = new AbortController();
  private running: Promise<void> | undefined;
  private endPause: (() => void) | undefined;
  private wasWoken = false;
  /** Whether a wake ends the pause at hand. */
  private isWakeable = true;

  constructor(private readonly options: BackgroundLoopOptions) {}

  start(): void {
    this.running ??= this.loop();
  }

  /** Ends the pause at hand, or the next one when a pass is on; a rest goes on. */
  wake(): void {
    this.wasWoken = true;
    if (this.isWakeable) this.endPause?.();
  }

  /** Aborts the signal and waits for the current pass. */
  async stop(): Promise<void> {
    this.abort.abort();
    this.endPause?.();
    await this.running;
  }

  private async loop(): Promise<void> {
    const { name, run, logger, intervalMs, startsAfterMs, restMs = 0 } = this.options;
    if (startsAfterMs !== undefined) await this.pause(startsAfterMs);
    while (!this.abort.signal.aborted) {
      this.wasWoken = false;
      let hasMore = false;
      try {
        hasMore = (await run(this.abort.signal)) === true;
      } catch (error) {
        if (!this.abort.signal.aborted) logger.error({ err: error, loop: name }, 'a background pass failed');
      }
      if (hasMore) continue;
      if (restMs > 0 && !this.abort.signal.aborted) await this.pause(restMs, { endsOnWake: false });
      if (!this.wasWoken && !this.abort.signal.aborted) await this.pause(intervalMs - restMs);
    }
  }

  private pause(ms: number, { endsOnWake = true } = {}): Promise<void> {
    this.isWakeable = endsOnWake;
    return new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer);
        this.endPause = undefined;
        resolve();
      };
      const timer = setTimeout(end, ms);
      this.endPause = end;
    });
  }
}
