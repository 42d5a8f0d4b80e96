import { Injectable } from '@nestjs/common';
import type { RunInput } from '@tradewind/scraping-provider';
import { AppConfig } from '../app.config.js';
import { BudgetsService } from '../budgets/budgets.service.js';
import { reservedMicroUsd } from '../budgets/run-reservation.js';
import { AppEvents } from '../events.js';
import {
  abortedBeforeStartError,
  alreadyActiveError,
  overBudgetError,
  startErrors,
  stillPendingError,
} from '../starts/start-errors.js';
import { StartsService } from '../starts/starts.service.js';
import { JobChanges } from '../tracker/job-changes.js';
import { JobWaits } from '../tracker/job-waits.js';
import { JobsStore, type NewJob } from '../tracker/jobs.store.js';
import type { Job, JobId } from '../tracker/tracker.types.js';
import { countAnswer } from './answer-counts.js';
import type { JobResultDto, TriggerAnswerDto } from './interaction-answers.dto.js';
import type { TriggerRequestDto } from './interactions.dto.js';
import { assertWithinBounds } from './request-bounds.js';

/**
 * Starts one run per target. Every job is recorded first, and the background starts it. The answer waits for that
 * within the budget: a job that is not started by then is reported as PENDING and goes on.
 */
@Injectable()
export class TriggersService {
  constructor(
    private readonly store: JobsStore,
    private readonly budgets: BudgetsService,
    private readonly starts: StartsService,
    private readonly waits: JobWaits,
    private readonly changes: JobChanges,
    private readonly events: AppEvents,
    private readonly config: AppConfig,
  ) {}

  /** @param triggeredBy the caller, as it is stored */
  async trigger(request: TriggerRequestDto, triggeredBy: string | null): Promise<TriggerAnswerDto> {
    assertWithinBounds(request, this.config);
    const deadline = performance.now() + this.config.ANSWER_BUDGET_MS;
    const inputs = request.targets.map((target) => toRunInput(request, target));
    // Of one request all runs have the same limits, and so the same reservation.
    const runMicroUsd = reservedMicroUsd(inputs[0]!, this.config);
    const { budgetMicroUsd } = await this.budgets.get(request.user_company_id);
    const created = await this.store.create({
      reservedMicroUsd: runMicroUsd,
      budgetMicroUsd,
      userCompanyId: request.user_company_id,
      triggerUserId: request.trigger_user_id ?? null,
      triggeredBy,
      inputs,
      deadline,
    });
    const accepted = created.flatMap((job) => ('id' in job ? [job.id] : []));
    created.forEach((job, index) => {
      if (!('id' in job)) return;
      this.events.emit('job_accepted', {
        entity: inputs[index]!.entity,
        job_id: job.id,
        user_company_id: request.user_company_id,
        caller: triggeredBy,
      });
    });
    const overBudget = created.filter((job) => 'refused' in job && job.refused === 'over_budget').length;
    if (overBudget > 0)
      this.events.emit('start_over_budget', { count: overBudget, user_company_id: request.user_company_id });
    this.starts.wake();
    const jobs = await this.waits.untilStarted(accepted, deadline - performance.now());
    const results = request.targets.map((target, index) => {
      const job = created[index]!;
      const outcome =
        'id' in job
          ? outcomeOf(jobs.get(job.id), this.changes.runOf(job.id))
          : { success: false, error: refusal(job, { budgetMicroUsd, runMicroUsd }) };
      return { network_handle: target.network_handle, entity: target.entity, ...outcome };
    });
    return {
      ...countAnswer(results, (ok, total) => `Triggered ${ok}/${total} jobs successfully.`),
      user_company_id: request.user_company_id,
      trigger_user_id: request.trigger_user_id ?? null,
      results,
    };
  }
}

function refusal(
  job: Exclude<NewJob, { id: JobId }>,
  { budgetMicroUsd, runMicroUsd }: { budgetMicroUsd: number | null; runMicroUsd: number },
): string {
  if (job.refused === 'active') return alreadyActiveError;
  return overBudgetError({ ...job.costs, budgetMicroUsd: budgetMicroUsd ?? 0, runMicroUsd });
}

/** What the answer says of a job. A run may be started that the tracker does not show yet. */
function outcomeOf(
  job: Job | undefined,
  startedRunId: string | undefined,
): Pick<JobResultDto, 'run_id' | 'success' | 'error'> {
  if (!job && startedRunId !== undefined) return { run_id: startedRunId, success: true, error: null };
  if (!job) return { success: false, error: stillPendingError };
  if (job.providerRunId !== null) return { run_id: job.providerRunId, success: true, error: null };
  if (job.status === 'ABORTED') return { success: false, error: abortedBeforeStartError };
  return { success: false, error: job.error ?? startErrors.failed };
}

function toRunInput(request: TriggerRequestDto, target: TriggerRequestDto['targets'][number]): RunInput {
  return {
    networkHandle: target.network_handle,
    entity: target.entity,
    postedLimit: request.posted_limit,
    maxPosts: request.max_posts,
    scrapeReactions: request.scrape_reactions,
    maxReactions: request.max_reactions,
    scrapeComments: request.scrape_comments,
    maxComments: request.max_comments,
    commentsPostedLimit: request.comments_posted_limit,
  };
}
