import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { isTerminalRunStatus, RunProvider, type ProviderRun, type RunStatus } from '@tradewind/scraping-provider';
import { Logger, withinMs } from '@tradewind/service-kit';
import { AppConfig } from '../app.config.js';
import { AppEvents } from '../events.js';
import { FollowService } from '../follow/follow.service.js';
import { ProviderCalls } from '../tracker/provider-calls.js';
import { JobWaits } from '../tracker/job-waits.js';
import { targetKey, type Job } from '../tracker/tracker.types.js';
import { TransitionsStore } from '../tracker/transitions.store.js';
import { countAnswer } from './answer-counts.js';
import type { AbortAnswerDto, AbortResultDto, AbortResultStatus } from './interaction-answers.dto.js';
import type { AbortRequestDto, TargetDto } from './interactions.dto.js';
import { assertWithinBounds } from './request-bounds.js';

/** pipelines.md, Errors 2, word for word. */
const noActiveRunError = 'No pending or running run found';
const alreadyCompletedError = (status: string) => `Run already completed with status ${status}`;
/** The provider has not confirmed in time, or does not answer. The request is recorded and repeated later. */
const notConfirmedError = 'The abort is requested and not confirmed by the provider yet; it goes on in the background';
const runMissingError = 'The provider does not know this run';

/** How often a run that is ABORTING is looked up. The provider's grace is 30 s; most runs end within one second. */
const confirmLookMs = 250;

type Outcome = Pick<AbortResultDto, 'run_id' | 'success' | 'error' | 'status'>;

/**
 * Aborts the active run of each target. The provider decides the outcome: ABORTED counts as success, and a run that
 * finished first keeps its status. The tracker records the same.
 */
@Injectable()
export class AbortsService {
  constructor(
    private readonly store: TransitionsStore,
    private readonly provider: RunProvider,
    private readonly follow: FollowService,
    private readonly waits: JobWaits,
    private readonly calls: ProviderCalls,
    private readonly events: AppEvents,
    private readonly config: AppConfig,
    private readonly logger: Logger,
  ) {}

  /** @param abortedBy the caller, as it is stored */
  async abort(request: AbortRequestDto, abortedBy: string | null): Promise<AbortAnswerDto> {
    assertWithinBounds(request, this.config);
    const deadline = performance.now() + this.config.ANSWER_BUDGET_MS;
    const targets = request.targets.map((target) => ({ networkHandle: target.network_handle, entity: target.entity }));
    const jobs = await this.store.requestAborts({ userCompanyId: request.user_company_id, targets, abortedBy });
    for (const job of jobs.values()) {
      this.events.emit('abort_requested', {
        job_id: job.id,
        user_company_id: request.user_company_id,
        caller: abortedBy,
      });
    }
    const results: AbortResultDto[] = await Promise.all(
      request.targets.map(async (target: TargetDto, index) => {
        const job = jobs.get(targetKey(targets[index]!));
        const outcome = job ? await this.abortJob(job, deadline) : failure(noActiveRunError, null);
        return { network_handle: target.network_handle, entity: target.entity, ...outcome };
      }),
    );
    return {
      ...countAnswer(results, (ok, total) => `Aborted ${ok}/${total} runs successfully.`),
      user_company_id: request.user_company_id,
      results,
    };
  }

  private async abortJob(requested: Job, deadline: number): Promise<Outcome> {
    let job = requested;
    if (job.stage === 'done') this.events.emit('run_aborted', { job_id: job.id });
    if (job.stage === 'starting' || job.stage === 'unsettled') {
      // Whether there is a run to abort is known only after the start.
      job = (await this.waits.untilStarted([job.id], deadline - performance.now())).get(job.id) ?? job;
    }
    if (job.stage === 'starting' || job.stage === 'unsettled' || job.stage === 'queued')
      return failure(notConfirmedError, 'PENDING');
    if (job.providerRunId === null)
      return job.status === 'ABORTED' ? aborted(undefined) : failure(noActiveRunError, null);
    if (job.stage !== 'following') return endOutcome(job.providerRunId, job.providerStatus);
    const { providerRunId, providerStatus } = job;
    // A provider that does not answer delays this target alone, and not beyond the deadline. The call goes on.
    const leftMs = Math.max(0, deadline - performance.now());
    return withinMs(leftMs, () => this.abortRun(job, providerRunId, deadline)).catch(() =>
      failure(notConfirmedError, providerStatus),
    );
  }

  /** Never rejects: a provider that fails has not confirmed, either. */
  private async abortRun(job: Job, runId: string, deadline: number): Promise<Outcome> {
    const startedMs = performance.now();
    try {
      let run: ProviderRun | undefined = await this.provider.abortRun(runId);
      await this.calls.note(job, { operation: 'abort', outcome: run ? run.status : 'missing', startedMs });
      while (run && !isTerminalRunStatus(run.status) && performance.now() < deadline) {
        await delay(confirmLookMs);
        run = await this.provider.findRun(runId);
      }
      if (!run) return failure(runMissingError, job.providerStatus);
      await this.follow.apply(job, run);
      return isTerminalRunStatus(run.status) ? endOutcome(runId, run.status) : failure(notConfirmedError, run.status);
    } catch (error) {
      await this.calls.note(job, { operation: 'abort', outcome: 'failed', startedMs });
      this.logger.warn(
        { err: error, run_id: runId },
        'the provider did not confirm an abort; the abort is repeated later',
      );
      return failure(notConfirmedError, job.providerStatus);
    }
  }
}

function endOutcome(runId: string, status: RunStatus | null): Outcome {
  if (status === 'ABORTED') return aborted(runId);
  return failure(status === null ? noActiveRunError : alreadyCompletedError(status), status);
}

function aborted(runId: string | undefined): Outcome {
  return { ...(runId === undefined ? {} : { run_id: runId }), success: true, error: null, status: 'ABORTED' };
}

/** @param status of the run as far as it is known; null when there is none */
function failure(error: string, status: AbortResultStatus | null): Outcome {
  return { success: false, error, status };
}
