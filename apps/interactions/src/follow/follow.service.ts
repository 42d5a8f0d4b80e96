import { Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { isTerminalRunStatus, RunProvider, type ProviderRun } from '@tradewind/scraping-provider';
import { Logger } from '@tradewind/service-kit';
import { AppConfig } from '../app.config.js';
import { AppEvents } from '../events.js';
import { ItemsService } from '../items/items.service.js';
import { ParallelLoop } from '../parallel-loop.js';
import { StartsService } from '../starts/starts.service.js';
import { JobChanges } from '../tracker/job-changes.js';
import { JobsStore } from '../tracker/jobs.store.js';
import { missingLooksMax, retryAfterFailureMs } from '../tracker/run-retry.js';
import type { Job } from '../tracker/tracker.types.js';
import { decideByRunStatus } from './follow-decision.js';
import { abortingLookMs, nextLookMs } from './follow-schedule.js';
import { FollowStore } from './follow.store.js';

/**
 * Watches runs until they end. The provider is asked how the run stands, when a webhook came or a look is due; what it
 * answers is the truth that the tracker takes over, so that lost, early, repeated and reordered webhooks all end alike.
 */
@Injectable()
export class FollowService implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly loop: ParallelLoop<Job>;

  constructor(
    private readonly store: FollowStore,
    private readonly jobs: JobsStore,
    private readonly provider: RunProvider,
    private readonly starts: StartsService,
    private readonly items: ItemsService,
    private readonly changes: JobChanges,
    private readonly events: AppEvents,
    private readonly config: AppConfig,
    private readonly logger: Logger,
  ) {
    this.loop = new ParallelLoop({
      name: 'follow runs',
      intervalMs: config.LOOP_INTERVAL_MS,
      parallel: config.FOLLOW_PARALLEL,
      claim: (room) => store.claimDue({ limit: room, leaseMs: config.LEASE_SECONDS * 1000 }),
      work: (job) => this.look(job),
      logger,
    });
  }

  onApplicationBootstrap(): void {
    this.loop.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.loop.stop();
  }

  wake(): void {
    this.loop.wake();
  }

  /** Takes over what the provider told about the run of a job. A job that has moved on meanwhile is left as it is. */
  async apply(job: Job, run: ProviderRun): Promise<void> {
    const decision = decideByRunStatus(run.status);
    const isEnding = run.status === 'ABORTING' || job.abortRequestedAt !== null;
    const ageMs = Date.now() - job.createdAt.getTime();
    const lookAgainMs = isEnding ? abortingLookMs : nextLookMs(ageMs, this.config.FOLLOW_INTERVAL_MS);
    const hasChanged = await this.store.apply(job.id, run, decision, decision.stage === 'storing' ? 0 : lookAgainMs);
    if (!hasChanged) return;
    if (decision.status === 'FAILED')
      this.events.emit('run_failed', { reason: run.status, job_id: job.id, run_id: run.id });
    if (decision.status === 'ABORTED') this.events.emit('run_aborted', { job_id: job.id, run_id: run.id });
    if (decision.stage === 'following') return;
    this.changes.announce();
    this.starts.wake();
    this.items.wake();
  }

  private async look(job: Job): Promise<void> {
    // A claimed job in this stage has a run; the store's conditions hold it so.
    const runId = job.providerRunId!;
    try {
      let run = await this.provider.findRun(runId);
      if (run && job.abortRequestedAt && !isTerminalRunStatus(run.status) && run.status !== 'ABORTING') {
        run = await this.provider.abortRun(runId);
        this.events.emit('provider_call', { operation: 'abort', outcome: run ? run.status : 'missing', run_id: runId });
      }
      this.events.emit('provider_call', { operation: 'look', outcome: run ? 'found' : 'missing', run_id: runId });
      if (run) return await this.apply(job, run);
    } catch (error) {
      this.events.emit('provider_call', { operation: 'look', outcome: 'failed', run_id: runId });
      this.logger.warn({ err: error, run_id: runId }, 'the provider did not tell how a run stands; it is asked again');
      return this.store.lookAgain(job.id, retryAfterFailureMs(job.attempts));
    }
    if (job.attempts < missingLooksMax) return this.store.lookAgain(job.id, retryAfterFailureMs(job.attempts));
    if (await this.jobs.failMissing(job.id, 'The provider no longer knows this run')) {
      this.events.emit('run_failed', { reason: 'missing', job_id: job.id, run_id: runId });
      this.starts.wake();
    }
  }
}
