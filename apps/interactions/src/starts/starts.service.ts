import { Injectable } from '@nestjs/common';
import {
  claimTimes,
  nextStep,
  pauseAfter,
  RunProvider,
  stepAfterFailure,
  type NextStep,
  type ProviderRun,
} from '@tradewind/scraping-provider';
import { BackgroundWork, isDatabaseUnavailable, Logger, type Work } from '@tradewind/service-kit';
import { retry } from '@tradewind/shared-types';
import { AppConfig } from '../app.config.js';
import { AppEvents } from '../events.js';
import { JobChanges } from '../tracker/job-changes.js';
import { ProviderCalls } from '../tracker/provider-calls.js';
import type { Job } from '../tracker/tracker.types.js';
import { TransitionsStore } from '../tracker/transitions.store.js';
import { OrphanRuns } from './orphan-runs.js';
import { ProviderPauseStore } from './provider-pause.store.js';
import { startErrors } from './start-errors.js';

/** Wait between two attempts to record a run that was started, milliseconds. */
const recordPauseMs = 500;

/**
 * Sends queued jobs to the provider, each exactly once unless it is certain that nothing was begun.
 * The claim is committed before the call, and the outcome is written afterwards. If this process dies in between, the
 * lease runs out and `UnsettledStarts` looks for the run before anything is started again.
 */
@Injectable()
export class StartsService {
  private readonly loop: Work;
  private readonly times: ReturnType<typeof claimTimes>;

  constructor(
    private readonly transitions: TransitionsStore,
    private readonly pause: ProviderPauseStore,
    private readonly provider: RunProvider,
    private readonly orphanRuns: OrphanRuns,
    private readonly changes: JobChanges,
    private readonly calls: ProviderCalls,
    private readonly events: AppEvents,
    private readonly config: AppConfig,
    private readonly logger: Logger,
    background: BackgroundWork,
  ) {
    this.times = claimTimes(config);
    this.loop = background.claims({
      name: 'starts',
      intervalMs: config.LOOP_INTERVAL_MS,
      parallel: config.START_PARALLEL,
      claim: (room) => this.claim(room),
      work: ({ job, claimedAt }, signal) => this.start(job, claimedAt, signal).finally(() => changes.announce()),
    });
  }

  /** Looks for work at once: jobs were queued, or a slot became free. */
  wake(): void {
    this.loop.wake();
  }

  private async claim(room: number) {
    const claimedAt = performance.now();
    const { leaseMs, settleMs } = this.times;
    const jobs = await this.pause.claimUnlessPaused((tx) =>
      this.transitions.claimStarts(tx, { room, slots: this.config.PROVIDER_SLOTS, leaseMs, settleMs }),
    );
    return (jobs ?? []).map((job) => ({ job, claimedAt }));
  }

  private async start(job: Job, claimedAt: number, signal: AbortSignal): Promise<void> {
    if (performance.now() - claimedAt > this.times.sendWithinMs)
      return this.requeue(job, { delayMs: 0, failures: job.startFailures });
    const webhook = {
      webhookUrl: `${this.config.WEBHOOK_BASE_URL}/scraper/network/webhook`,
      webhookHeaders: { 'x-webhook-secret': this.config.WEBHOOK_SECRETS[0]! },
      correlationId: job.id,
    };
    const limits = { itemsMax: this.config.RUN_ITEMS_MAX, chargeUsdMax: this.config.RUN_CHARGE_USD_MAX };
    const startedMs = performance.now();
    const outcome = await this.provider.start(job.input, webhook, limits);
    const runId = outcome.outcome === 'started' ? outcome.run.id : undefined;
    // The runs of a trigger are in its answer whether or not the database takes the entry.
    if (outcome.outcome === 'started') this.changes.announceRun(job.id, outcome.run.id);
    await this.calls.note(job, { operation: 'start', outcome: outcome.outcome, runId, startedMs });
    if (outcome.outcome === 'started') return this.recordStarted(job, outcome.run, signal);
    this.logger.warn({ job_id: job.id, ...outcome }, 'a start did not succeed');
    const start = { failures: job.startFailures, ageMs: Date.now() - job.createdAt.getTime() };
    await this.pause.noteFailure((failuresInARow) => pauseAfter(outcome, failuresInARow));
    await this.take(job, nextStep(outcome, start, this.config));
  }

  private async recordStarted(job: Job, run: ProviderRun, signal: AbortSignal): Promise<void> {
    // Retried while the job belongs to this process; after that `UnsettledStarts` finds the run.
    const record = () => this.transitions.recordRun(job.id, run, this.config.FOLLOW_INTERVAL_MS);
    const result = await retry(record, {
      attempts: Math.ceil(this.times.leaseMs / recordPauseMs),
      backoffMsMin: recordPauseMs,
      backoffMsMax: recordPauseMs,
      isRetryable: isDatabaseUnavailable,
      signal,
    });
    if (result === 'orphan') {
      this.changes.forgetRun(job.id);
      await this.orphanRuns.abort(run.id, job.id);
    } else {
      this.events.emit('run_started', { entity: job.entity, job_id: job.id, run_id: run.id });
    }
    // Last: the database may be away, and a run without a job costs money until it is aborted.
    await this.pause.noteStart();
  }

  /** Tries again an unsettled start that provably began nothing, or gives it up. */
  async retryAbsent(job: Job): Promise<void> {
    await this.take(job, stepAfterFailure(job.startFailures, this.config));
  }

  private async take(job: Job, next: NextStep): Promise<void> {
    switch (next.step) {
      case 'settle':
        return this.transitions.markUnsettled(job, next.settleMs);
      case 'give_up':
        return this.fail(job, next.why);
      case 'retry':
        return this.requeue(job, { delayMs: next.afterMs, failures: next.failures });
    }
  }

  private async requeue(job: Job, options: { delayMs: number; failures: number }): Promise<void> {
    const status = await this.transitions.requeue(job, options);
    if (status === 'ABORTED') this.events.emit('run_aborted', { job_id: job.id });
  }

  private async fail(job: Job, reason: keyof typeof startErrors): Promise<void> {
    const status = await this.transitions.failStart(job, startErrors[reason]);
    if (status === 'ABORTED') this.events.emit('run_aborted', { job_id: job.id });
    if (status === 'FAILED') this.events.emit('run_failed', { reason: `start_${reason}`, job_id: job.id });
  }
}
