/** When the passes of a loop begin. */
export interface LoopTiming {
  /** Pause between passes that found nothing more to do, milliseconds. */
  intervalMs: number;
  /** Pause before the first pass, milliseconds; none by default. */
  startsAfterMs?: number;
  /**
   * Least pause after a pass, milliseconds, even when the loop was woken during it; none by default. What arrives
   * during it is taken together. A wake after a longer silence still starts a pass at once.
   */
  restMs?: number;
}

/** Passes one after the other, with pauses between them. BackgroundWork makes the loops of a service. */
export class WorkLoop {
  private readonly stopping = new AbortController();
  private running: Promise<void> | undefined;
  private endPause: (() => void) | undefined;
  private wasWoken = false;
  private isWakeable = true;

  /**
   * @param pass must not throw; true means that the next pass follows at once, a number is a longer rest, milliseconds
   */
  constructor(
    private readonly timing: LoopTiming,
    private readonly pass: (signal: AbortSignal) => Promise<boolean | number>,
  ) {}

  start(): void {
    this.running ??= this.loop();
  }

  /** Ends the present pause, or skips the next one when a pass is running. A rest is never cut short. */
  wake(): void {
    this.wasWoken = true;
    if (this.isWakeable) this.endPause?.();
  }

  /** Aborts the signal and waits for the running pass. */
  async stop(): Promise<void> {
    this.stopping.abort();
    this.endPause?.();
    await this.running;
  }

  private async loop(): Promise<void> {
    const { intervalMs, startsAfterMs = 0, restMs = 0 } = this.timing;
    const { signal } = this.stopping;
    if (startsAfterMs > 0) await this.pause(startsAfterMs);
    while (!signal.aborted) {
      this.wasWoken = false;
      const next = await this.pass(signal);
      if (next === true) continue;
      const rest = Math.max(restMs, next || 0);
      if (rest > 0) await this.pause(rest, { endsOnWake: false });
      if (!this.wasWoken && rest < intervalMs) await this.pause(intervalMs - rest);
    }
  }

  private async pause(ms: number, { endsOnWake = true } = {}): Promise<void> {
    if (this.stopping.signal.aborted) return;
    this.isWakeable = endsOnWake;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.endPause = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.endPause = undefined;
  }
}
