import { Injectable } from '@nestjs/common';
import { isTerminalRunStatus, RunProvider, type ProviderRun } from '@tradewind/scraping-provider';
import { BackgroundWork, Logger, type Work } from '@tradewind/service-kit';
import { AppConfig } from '../app.config.js';
import { AppEvents } from '../events.js';
import { ItemsService } from '../items/items.service.js';
import { StartsService } from '../starts/starts.service.js';
import { JobChanges } from '../tracker/job-changes.js';
import { ProviderCalls, type ProviderCall } from '../tracker/provider-calls.js';
import { missingLooksMax, retryAfterFailureMs } from '../tracker/run-retry.js';
import type { Job } from '../tracker/tracker.types.js';
import { TransitionsStore } from '../tracker/transitions.store.js';
import { transitions } from '../tracker/transitions.js';
import { decisionByRunStatus } from './follow-decision.js';
import { abortingLookMs, nextLookMs } from './follow-schedule.js';

/**
 * Watches runs until they end. When a webhook came or a look is due, it asks the provider for the run. The tracker
 * follows that answer, so lost, early, repeated and reordered webhooks all have the same end.
 */
@Injectable()
export class FollowService {
  private readonly loop: Work;

  constructor(
    private readonly store: TransitionsStore,
    private readonly provider: RunProvider,
    private readonly starts: StartsService,
    private readonly items: ItemsService,
    private readonly changes: JobChanges,
    private readonly calls: ProviderCalls,
    private readonly events: AppEvents,
    private readonly config: AppConfig,
    private readonly logger: Logger,
    background: BackgroundWork,
  ) {
    this.loop = background.claims({
      name: 'follow runs',
      intervalMs: config.LOOP_INTERVAL_MS,
      parallel: config.FOLLOW_PARALLEL,
      claim: (room) => store.claim('claimFollowing', { limit: room, leaseMs: config.LEASE_SECONDS * 1000 }),
      work: (job) => this.look(job),
    });
  }

  wake(): void {
    this.loop.wake();
  }

  /** Records what the provider says about the run of a job. A job that has moved on meanwhile is left alone. */
  async apply(job: Job, run: ProviderRun): Promise<void> {
    const { transition, error } = decisionByRunStatus[run.status];
    const next = transitions[transition];
    const isEnding = run.status === 'ABORTING' || job.abortRequestedAt !== null;
    const ageMs = Date.now() - job.createdAt.getTime();
    const lookAgainMs = isEnding ? abortingLookMs : nextLookMs(ageMs, this.config.FOLLOW_INTERVAL_MS);
    const dueInMs = next.to === 'following' ? lookAgainMs : 0;
    const costDueInMs = this.config.COST_SETTLE_SECONDS * 1000;
    if (!(await this.store.applyRun(job.id, run, { transition, error, dueInMs, costDueInMs }))) return;
    if (transition === 'runFailed')
      this.events.emit('run_failed', { reason: run.status, job_id: job.id, run_id: run.id });
    if (transition === 'runAborted') this.events.emit('run_aborted', { job_id: job.id, run_id: run.id });
    if (next.to === 'following') return;
    this.changes.announce();
    this.starts.wake();
    this.items.wake();
  }

  private async look(job: Job): Promise<void> {
    // A job in this stage has a run: every transition to it records one.
    const runId = job.providerRunId!;
    let call: Pick<ProviderCall, 'operation' | 'startedMs'> = { operation: 'look', startedMs: performance.now() };
    try {
      let run = await this.provider.findRun(runId);
      await this.calls.note(job, { ...call, outcome: run ? run.status : 'missing' });
      if (run && job.abortRequestedAt && !isTerminalRunStatus(run.status) && run.status !== 'ABORTING') {
        call = { operation: 'abort', startedMs: performance.now() };
        run = await this.provider.abortRun(runId);
        await this.calls.note(job, { ...call, outcome: run ? run.status : 'missing' });
      }
      if (run) return await this.apply(job, run);
    } catch (error) {
      await this.calls.note(job, { ...call, outcome: 'failed' });
      this.logger.warn(
        { err: error, run_id: runId },
        'the status of a run could not be read; the provider is asked again',
      );
      return this.lookAgain(job);
    }
    if (job.attempts < missingLooksMax) return this.lookAgain(job);
    if (await this.store.failMissingRun(job.id, 'The provider no longer knows this run')) {
      this.events.emit('run_failed', { reason: 'missing', job_id: job.id, run_id: runId });
      this.starts.wake();
    }
  }

  private lookAgain(job: Job): Promise<void> {
    return this.store.postpone(job, { delayMs: retryAfterFailureMs(job.attempts), hasFailed: true });
  }
}
