// Work that a service does next to its requests. It starts once the service listens, and an operator command starts
// none. It ends after the last request and before anything is closed: see `startService` for the order.
import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { backoffMs } from '@tradewind/shared-types';
import { Gauge, Histogram } from 'prom-client';
import { WorkLoop, type LoopTiming } from './work-loop.js';
import { errorText } from './logged-error.js';
import { Logger } from './logger.js';
import { Metrics } from './metrics.js';
import { withinMs } from './within-ms.js';

/** After a failed pass no wake begins another one for at most this long, milliseconds. */
const failurePauseMsMax = 5_000;

export interface RepeatedWork extends LoopTiming {
  /** For the log and the metrics; unique in the service. */
  name: string;
  /**
   * One pass. True means there is more: the next pass follows at once. The signal is aborted when the service stops.
   */
  run: (signal: AbortSignal) => Promise<boolean | void>;
}

export interface ClaimedWork<T> extends Pick<RepeatedWork, 'name' | 'intervalMs'> {
  /** Most pieces of work at the same time. */
  parallel: number;
  /** Takes up to `room` pieces that are due, exclusively. */
  claim: (room: number) => Promise<T[]>;
  /** Does one piece. What it throws is logged; the claim then expires and the piece is taken again. */
  work: (claimed: T, signal: AbortSignal) => Promise<void>;
}

/** Registered work. `wake` starts a pass at once; `stop` ends this work alone and waits for its pass. */
export type Work = Pick<WorkLoop, 'wake' | 'stop'>;

/**
 * Where providers register their background work, in their constructors.
 *
 * Failure: a pass that throws is logged and repeated after a growing pause, even when it is woken. Nothing ends a loop
 * but the stop of the service. The same failure in a row is logged once, and so is the recovery.
 *
 * @example
 * constructor(background: BackgroundWork, config: AppConfig) {
 *   background.every({ name: 'watch deliveries', intervalMs: config.WATCH_INTERVAL_MS, run: () => this.pass() });
 * }
 */
@Injectable()
export class BackgroundWork implements OnModuleDestroy {
  private readonly loops = new Map<string, WorkLoop>();
  private readonly tracked = new Set<Promise<unknown>>();
  private readonly abort = new AbortController();
  private isStarted = false;
  private stopAtMs = Infinity;
  private readonly seconds: Histogram;
  private readonly lastSuccess: Gauge;
  private readonly interval: Gauge;

  /** @param stopMsMax longest wait for the work at the stop of the service, milliseconds */
  constructor(
    private readonly logger: Logger,
    { registry }: Metrics,
    private readonly stopMsMax: number,
  ) {
    this.seconds = new Histogram({
      name: 'background_work_duration_seconds',
      help: 'Duration of the passes of background work; outcome is ok or failed',
      labelNames: ['work', 'outcome'],
      buckets: [0.01, 0.1, 1, 10, 60],
      registers: [registry],
    });
    this.lastSuccess = new Gauge({
      name: 'background_work_last_success_timestamp_seconds',
      help: 'When a pass of background work last succeeded, or else when the work began, as a Unix time',
      labelNames: ['work'],
      registers: [registry],
    });
    this.interval = new Gauge({
      name: 'background_work_interval_seconds',
      help: 'Pause between two passes of background work that find nothing more to do',
      labelNames: ['work'],
      registers: [registry],
    });
  }

  /** Aborted when the service stops. For work under `track`. */
  get stopping(): AbortSignal {
    return this.abort.signal;
  }

  /** One pass after the other, with a pause between them. */
  every({ name, run, ...timing }: RepeatedWork): Work {
    if (this.loops.has(name)) throw new Error(`there is background work named "${name}" already`);
    let failures = 0;
    let lastFailure: string | undefined;
    const loop = new WorkLoop(timing, async (signal) => {
      const end = this.seconds.startTimer({ work: name });
      try {
        const hasMore = (await run(signal)) === true;
        end({ outcome: 'ok' });
        this.lastSuccess.set({ work: name }, Date.now() / 1000);
        if (failures > 0) this.logger.info({ work: name, failures }, 'background work succeeds again');
        failures = 0;
        lastFailure = undefined;
        return hasMore;
      } catch (error) {
        end({ outcome: 'failed' });
        failures += 1;
        const text = errorText(error);
        if (text !== lastFailure && !signal.aborted) {
          this.logger.error({ err: error, work: name }, 'background work failed and is tried again');
        }
        lastFailure = text;
        const backoffMsMin = Math.min(timing.intervalMs, failurePauseMsMax);
        return backoffMs(failures, { backoffMsMin, backoffMsMax: failurePauseMsMax });
      }
    });
    this.loops.set(name, loop);
    this.interval.set({ work: name }, timing.intervalMs / 1000);
    if (this.isStarted) this.startLoop(name, loop);
    return {
      wake: () => loop.wake(),
      stop: async () => {
        await loop.stop();
        this.loops.delete(name);
        this.interval.remove({ work: name });
        this.lastSuccess.remove({ work: name });
      },
    };
  }

  /**
   * Several pieces of work at the same time. It claims as many as there is room for, and again whenever a piece ends.
   * So a slow piece does not hold up the others.
   */
  claims<T>({ name, intervalMs, parallel, claim, work }: ClaimedWork<T>): Work {
    let underWay = 0;
    const loop = this.every({
      name,
      intervalMs,
      run: async (signal) => {
        const room = parallel - underWay;
        if (room <= 0) return;
        for (const claimed of await claim(room)) {
          underWay += 1;
          void this.track(doPiece(claimed, signal));
        }
      },
    });
    const doPiece = async (claimed: T, signal: AbortSignal) => {
      try {
        await work(claimed, signal);
      } catch (error) {
        this.logger.error({ err: error, work: name }, 'a piece of background work failed');
      } finally {
        underWay -= 1;
        loop.wake();
      }
    };
    return loop;
  }

  /** Makes the stop of the service wait for work that outlives the request or the pass that began it. */
  track<T>(work: Promise<T>): Promise<T> {
    const ended = work.then(
      () => undefined,
      () => undefined,
    );
    this.tracked.add(ended);
    void ended.then(() => this.tracked.delete(ended));
    return work;
  }

  /** Ends the wait of the stop at this time of `performance.now()`, if that is sooner. */
  stopBy(atMs: number): void {
    this.stopAtMs = atMs;
  }

  /** Called by `startService` once the service listens. */
  start(): void {
    this.isStarted = true;
    for (const [name, loop] of this.loops) this.startLoop(name, loop);
  }

  /** Waits for the work. What takes too long goes on without what the service closes after it, and may fail. */
  async onModuleDestroy(): Promise<void> {
    this.abort.abort();
    const running = new Set(this.loops.keys());
    const ended = async () => {
      await Promise.all([...this.loops].map(([name, loop]) => loop.stop().then(() => running.delete(name))));
      while (this.tracked.size > 0) await Promise.all(this.tracked);
    };
    try {
      await withinMs(Math.max(0, Math.min(this.stopMsMax, this.stopAtMs - performance.now())), ended);
    } catch {
      const work = [...running];
      this.logger.warn({ work, tracked: this.tracked.size }, 'background work does not end: closing without it');
    }
  }

  private startLoop(name: string, loop: WorkLoop): void {
    this.lastSuccess.set({ work: name }, Date.now() / 1000);
    loop.start();
  }
}
