import { Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { RunProvider, type ProviderRun, type StartOutcome } from '@tradewind/scraping-provider';
import { isDatabaseUnavailable, Logger } from '@tradewind/service-kit';
import { retry } from '@tradewind/shared-types';
import { AppConfig } from '../app.config.js';
import { AppEvents } from '../events.js';
import { ParallelLoop } from '../parallel-loop.js';
import { JobChanges } from '../tracker/job-changes.js';
import type { Job } from '../tracker/tracker.types.js';
import { startErrors } from './start-errors.js';
import { backoffAfterFailure, pauseForCapacity, sendWithinMs, settleMs } from './start-retry.js';
import { StartsStore } from './starts.store.js';
import { SurplusRuns } from './surplus-runs.js';

/** Wait between two attempts to record a run that the provider has told. */
const recordPauseMs = 500;

/**
 * Sends queued jobs to the provider, each exactly once unless it is certain that nothing was begun.
 * The claim is committed before the call; whatever the call tells is written afterwards; if this process dies in
 * between, the claim runs out and `UnsettledStarts` looks for the run before anything is started again.
 */
@Injectable()
export class StartsService implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly loop: ParallelLoop<{ job: Job; claimedAt: number }>;

  constructor(
    private readonly store: StartsStore,
    private readonly provider: RunProvider,
    private readonly surplusRuns: SurplusRuns,
    private readonly changes: JobChanges,
    private readonly events: AppEvents,
    private readonly config: AppConfig,
    private readonly logger: Logger,
  ) {
    this.loop = new ParallelLoop({
      name: 'starts',
      intervalMs: config.LOOP_INTERVAL_MS,
      parallel: config.START_PARALLEL,
      claim: (room) => this.claim(room),
      work: ({ job, claimedAt }, signal) => this.start(job, claimedAt, signal).finally(() => changes.announce()),
      logger,
    });
  }

  onApplicationBootstrap(): void {
    this.loop.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.loop.stop();
  }

  /** Looks for work at once: jobs were queued, or a slot became free. */
  wake(): void {
    this.loop.wake();
  }

  private async claim(room: number) {
    const claimedAt = performance.now();
    const jobs = await this.store.claim({
      room,
      slots: this.config.PROVIDER_SLOTS,
      leaseMs: this.leaseMs(),
    });
    return jobs.map((job) => ({ job, claimedAt }));
  }

  /** For so long a claimed start belongs to this process. */
  private leaseMs(): number {
    return this.config.PROVIDER_TIMEOUT_MS + this.config.START_SETTLE_SILENT_MS;
  }

  private async start(job: Job, claimedAt: number, signal: AbortSignal): Promise<void> {
    if (performance.now() - claimedAt > sendWithinMs(this.config.START_SETTLE_SILENT_MS)) {
      return this.giveBack(job, { delayMs: 0, failures: job.startFailures });
    }
    const webhook = {
      webhookUrl: `${this.config.WEBHOOK_BASE_URL}/scraper/network/webhook`,
      webhookHeaders: { 'x-webhook-secret': this.config.WEBHOOK_SECRETS[0]! },
      correlationId: job.id,
    };
    const limits = { itemsMax: this.config.RUN_ITEMS_MAX, chargeUsdMax: this.config.RUN_CHARGE_USD_MAX };
    const outcome = await this.provider.start(job.input, webhook, limits);
    this.events.emit('provider_call', { operation: 'start', outcome: outcome.outcome, job_id: job.id });
    await this.record(job, outcome, signal);
  }

  private async record(job: Job, outcome: StartOutcome, signal: AbortSignal): Promise<void> {
    switch (outcome.outcome) {
      case 'started': {
        this.changes.announceRun(job.id, outcome.run.id);
        const standing = await this.recordRun(job, outcome.run, signal);
        if (standing === 'surplus') {
          this.changes.forgetRun(job.id);
          return this.surplusRuns.abort(outcome.run.id, job.id);
        }
        this.events.emit('run_started', { entity: job.entity, job_id: job.id, run_id: outcome.run.id });
        return;
      }
      case 'no_capacity':
        this.logger.warn({ job_id: job.id, detail: outcome.detail }, 'the provider has no capacity, the start waits');
        return this.waitForCapacity(job, outcome.retryAfterMs);
      case 'unavailable':
        this.logger.warn({ job_id: job.id, detail: outcome.detail }, 'the provider cannot be reached, the start waits');
        return this.countFailure(job, outcome.retryAfterMs);
      case 'unknown_outcome':
        this.logger.warn(
          { job_id: job.id, detail: outcome.detail },
          'a start ended without telling whether it began a run',
        );
        return this.store.markUnsettled(
          job,
          settleMs(outcome, { answeredMs: this.config.START_SETTLE_MS, silentMs: this.config.START_SETTLE_SILENT_MS }),
        );
      case 'rejected':
        this.logger.warn(
          { job_id: job.id, status: outcome.status, detail: outcome.detail },
          'the provider refuses the start',
        );
        return this.fail(job, 'rejected');
    }
  }

  /** Tries on while the database is away, as long as the job is in this process's hands; then `UnsettledStarts` finds the run. */
  private async recordRun(job: Job, run: ProviderRun, signal: AbortSignal) {
    return retry(() => this.store.recordRun(job.id, run, this.config.FOLLOW_INTERVAL_MS), {
      attempts: Math.ceil(this.leaseMs() / recordPauseMs),
      backoffMsMin: recordPauseMs,
      backoffMsMax: recordPauseMs,
      isRetryable: isDatabaseUnavailable,
      signal,
    });
  }

  private async waitForCapacity(job: Job, retryAfterMs: number): Promise<void> {
    if (Date.now() - job.createdAt.getTime() > this.config.START_GIVE_UP_SECONDS * 1000)
      return this.fail(job, 'no_capacity');
    const { refusals, isPaused } = await this.store.gate();
    await this.store.pause(pauseForCapacity(retryAfterMs, isPaused ? 0 : refusals));
    await this.giveBack(job, { delayMs: 0, failures: job.startFailures });
  }

  /** One more failure that certainly began no run: tries again later, or gives up. */
  async countFailure(job: Job, leastDelayMs: number): Promise<void> {
    const failures = job.startFailures + 1;
    const delayMs = backoffAfterFailure(failures, {
      attempts: this.config.START_ATTEMPTS,
      backoffMs: this.config.START_BACKOFF_MS,
    });
    if (delayMs === undefined) return this.fail(job, 'failed');
    await this.giveBack(job, { delayMs: Math.max(delayMs, leastDelayMs), failures });
  }

  private async giveBack(job: Job, options: { delayMs: number; failures: number }): Promise<void> {
    const status = await this.store.requeue(job, options);
    if (status === 'ABORTED') this.events.emit('run_aborted', { job_id: job.id });
  }

  private async fail(job: Job, reason: keyof typeof startErrors): Promise<void> {
    const status = await this.store.fail(job, startErrors[reason]);
    if (status === 'ABORTED') this.events.emit('run_aborted', { job_id: job.id });
    if (status === 'FAILED') this.events.emit('run_failed', { reason: `start_${reason}`, job_id: job.id });
  }
}
