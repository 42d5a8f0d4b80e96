// Actions on many jobs: failed ones start again, active ones are aborted. Each has a plan, which says what would happen
// and what it may cost, and does nothing. The act makes the same plan first.
import { Injectable } from '@nestjs/common';
import type { ChangeAuthor } from '@tradewind/service-kit';
import { AppConfig } from '../app.config.js';
import { BudgetsService } from '../budgets/budgets.service.js';
import { expectedCostMicroUsd } from '../budgets/expected-cost.js';
import { reservedMicroUsd } from '../budgets/run-reservation.js';
import { AppEvents } from '../events.js';
import { FollowService } from '../follow/follow.service.js';
import { StartsService } from '../starts/starts.service.js';
import { CostsStore } from '../tracker/costs.store.js';
import { JobChanges } from '../tracker/job-changes.js';
import {
  JobsStore,
  type BulkAction,
  type JobFilter,
  type JobOfBulk,
  type JobPosition,
  type KnownCost,
} from '../tracker/jobs.store.js';
import { targetKey, type JobId } from '../tracker/tracker.types.js';
import { TransitionsStore } from '../tracker/transitions.store.js';

/**
 * `would_start`, `would_abort`: in a plan. `active`: the company has an active run for the target, or another request
 * has let the job start again. `over_budget`: the budget of the month has no room. `ended`: before it could be aborted.
 */
export type BulkOutcome =
  'would_start' | 'started' | 'active' | 'over_budget' | 'would_abort' | 'abort_requested' | 'ended';

export interface BulkResult {
  job: JobOfBulk;
  outcome: BulkOutcome;
  /** The job that repeats it. */
  newJobId?: JobId | undefined;
}

export interface BulkAnswer {
  /** Jobs that the filter takes now, counted up to `matchedMax`. */
  matched: number;
  results: BulkResult[];
  /** Where the next page begins; undefined on the last. */
  next: JobPosition | undefined;
}

export interface ReRunAnswer extends BulkAnswer {
  /** What the runs may cost at most by their reservations, millionths of a US dollar. */
  costMicroUsdMax: number;
  /** As `expectedCost` has it, by the last runs of each company. */
  expectedCostMicroUsd: number;
}

export interface BulkRequest {
  filter: JobFilter & { ids?: readonly string[] };
  after?: JobPosition | undefined;
  limit: number;
  isDryRun: boolean;
  author: ChangeAuthor;
}

/** How long a trigger may try to find out whether its jobs were recorded, milliseconds. */
const recordMsMax = 10_000;

@Injectable()
export class BulkJobs {
  constructor(
    private readonly jobs: JobsStore,
    private readonly transitions: TransitionsStore,
    private readonly budgets: BudgetsService,
    private readonly costs: CostsStore,
    private readonly starts: StartsService,
    private readonly follow: FollowService,
    private readonly changes: JobChanges,
    private readonly events: AppEvents,
    private readonly config: AppConfig,
  ) {}

  async reRun(request: BulkRequest): Promise<ReRunAnswer> {
    const { jobs, ...found } = await this.find('re_run', request);
    const { isDryRun, author } = request;
    const planned = await this.plan(jobs);
    const results = isDryRun ? planned : await this.start(planned, author);
    const begun = results.filter(({ outcome }) => outcome === 'would_start' || outcome === 'started');
    const known = new Map<string, KnownCost[]>();
    for (const { userCompanyId } of begun.map(({ job }) => job)) {
      if (!known.has(userCompanyId)) known.set(userCompanyId, await this.jobs.listKnownCosts(userCompanyId));
    }
    const reserved = ({ job }: BulkResult) => reservedMicroUsd(job.input, this.config);
    return {
      ...found,
      results,
      costMicroUsdMax: sum(begun.map(reserved)),
      expectedCostMicroUsd: Math.round(
        sum(begun.map(({ job }) => expectedCostMicroUsd(job, known.get(job.userCompanyId) ?? [], this.config))),
      ),
    };
  }

  async abort(request: BulkRequest): Promise<BulkAnswer> {
    const { jobs, ...found } = await this.find('abort', request);
    const { isDryRun, author } = request;
    if (isDryRun) return { ...found, results: jobs.map((job) => ({ job, outcome: 'would_abort' })) };
    const requested = await this.transitions.requestAbortsOf(
      jobs.map(({ id }) => id),
      author.by,
    );
    const results = jobs.map((job): BulkResult => {
      if (!requested.has(job.id)) return { job, outcome: 'ended' };
      this.events.emit('abort_requested', {
        ...{ job_id: job.id, user_company_id: job.userCompanyId, caller: author.by },
      });
      return { job, outcome: 'abort_requested' };
    });
    this.changes.announce();
    this.follow.wake();
    return { ...found, results };
  }

  private async find(action: BulkAction, { filter, after, limit }: BulkRequest) {
    // One more than asked for shows whether there is a next page.
    const { jobs: found, matched } = await this.jobs.listFor(action, filter, { after, limit: limit + 1 });
    const jobs = found.slice(0, limit);
    return { jobs, matched, next: found.length > limit ? jobs.at(-1) : undefined };
  }

  private async plan(jobs: readonly JobOfBulk[]): Promise<BulkResult[]> {
    const leftOf = new Map<string, number>();
    for (const companyId of new Set(jobs.map(({ userCompanyId }) => userCompanyId)))
      leftOf.set(companyId, await this.leftMicroUsd(companyId));
    const taken = new Set<string>();
    return jobs.map((job): BulkResult => {
      const target = `${job.userCompanyId} ${targetKey(job)}`;
      if (job.hasActive || taken.has(target)) return { job, outcome: 'active' };
      const left = leftOf.get(job.userCompanyId)! - reservedMicroUsd(job.input, this.config);
      if (left < 0) return { job, outcome: 'over_budget' };
      leftOf.set(job.userCompanyId, left);
      taken.add(target);
      return { job, outcome: 'would_start' };
    });
  }

  private async leftMicroUsd(companyId: string): Promise<number> {
    const { budgetMicroUsd } = await this.budgets.get(companyId);
    if (budgetMicroUsd === null) return Infinity;
    const { spentMicroUsd, reservedMicroUsd: reserved } = await this.costs.get(companyId);
    return budgetMicroUsd - spentMicroUsd - reserved;
  }

  /** Records the jobs that the plan names. What has happened since is decided by the tables. */
  private async start(planned: readonly BulkResult[], author: ChangeAuthor): Promise<BulkResult[]> {
    const outcomes = new Map<JobId, Omit<BulkResult, 'job'>>();
    const wanted = planned.filter(({ outcome }) => outcome === 'would_start').map(({ job }) => job);
    const groups = new Map<string, JobOfBulk[]>();
    for (const job of wanted) {
      const key = JSON.stringify([job.userCompanyId, job.triggerUserId, reservedMicroUsd(job.input, this.config)]);
      groups.set(key, [...(groups.get(key) ?? []), job]);
    }
    for (const group of groups.values()) {
      const { userCompanyId, triggerUserId, input } = group[0]!;
      const { budgetMicroUsd } = await this.budgets.get(userCompanyId);
      const created = await this.jobs.create({
        ...{ userCompanyId, triggerUserId, triggeredBy: author.by, budgetMicroUsd },
        inputs: group.map((job) => job.input),
        reRunOf: group.map(({ id }) => id),
        reservedMicroUsd: reservedMicroUsd(input, this.config),
        deadline: performance.now() + recordMsMax,
      });
      for (const [index, made] of created.entries()) {
        outcomes.set(
          group[index]!.id,
          'id' in made ? { outcome: 'started', newJobId: made.id } : { outcome: made.refused },
        );
        if ('id' in made)
          this.events.emit('job_accepted', {
            ...{ entity: group[index]!.entity, job_id: made.id, user_company_id: userCompanyId, caller: author.by },
          });
      }
    }
    const count = [...outcomes.values()].filter(({ outcome }) => outcome === 'started').length;
    if (count > 0) this.events.emit('jobs_re_run', { count, caller: author.by });
    this.starts.wake();
    return planned.map((result) => ({ ...result, ...outcomes.get(result.job.id) }));
  }
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
