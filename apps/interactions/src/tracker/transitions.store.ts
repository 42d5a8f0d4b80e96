import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { ProviderRun } from '@tradewind/scraping-provider';
import { Db, type Queries, type Tx } from '@tradewind/service-kit';
import { AppConfig } from '../app.config.js';
import { toMicroUsd } from '../micro-usd.js';
import { jobColumns, toJob, type JobRow } from './tracker-rows.js';
import { trackerTables } from './tracker-tables.js';
import { targetKey, type Job, type JobId, type Target, type TrackerStatus } from './tracker.types.js';
import { transitionSql, transitions, type Transition, type TransitionName } from './transitions.js';

/** A job whose start this process may send, and which claim of it this is. */
export type Claim = Pick<Job, 'id' | 'startFence'>;

export interface ItemCounts {
  posts: number;
  reactions: number;
  comments: number;
}

/**
 * All SQL that moves a job from stage to stage, or lends it to a replica. Each move is one statement that names a row
 * of `transitions`: a job in another stage is left alone, so whatever comes late changes nothing.
 */
@Injectable()
export class TransitionsStore {
  /** Marks the leases of this process: a process that lost a lease can no longer write progress. */
  private readonly owner = randomUUID();
  private readonly tracker: string;
  private readonly leftOverItems: string;
  private readonly companyCosts: string;

  constructor(
    private readonly db: Db,
    config: AppConfig,
  ) {
    const tables = trackerTables(config.ENVIRONMENT);
    this.tracker = tables.tracker;
    this.leftOverItems = tables.leftOverItems;
    this.companyCosts = tables.companyCosts;
  }

  /**
   * Takes queued jobs, oldest first, within the free slots of all replicas. The caller's transaction keeps others out.
   */
  async claimStarts(
    tx: Tx,
    options: { room: number; slots: number; leaseMs: number; settleMs: number },
  ): Promise<Job[]> {
    const { set, where } = transitionSql('claimStart');
    const claimed = await tx.rows<JobRow>(
      `with free as (
         select least($1::int, $2::int - count(*)::int) as slots from ${this.tracker} where holds_slot
       ), next as materialized (
         select job_id as id from ${this.tracker}
         where ${where} and due_at <= clock_timestamp()
         order by created_at, job_id
         limit greatest(0, (select slots from free))
         for update skip locked
       )
       update ${this.tracker} set
         ${set}, holds_slot = true, start_fence = start_fence + 1, start_called_at = clock_timestamp(),
         lease_until = ${inMs('$3')}, settle_after = ${inMs('$4')}
       from next where job_id = next.id
       returning ${jobColumns}`,
      [options.room, options.slots, options.leaseMs, options.settleMs],
    );
    return claimed.map(toJob).sort((a, b) => a.createdAt.getTime() - b.createdAt.getTime());
  }

  /**
   * Claims due jobs, the longest due first, and those whose replica fell silent. No other replica has them meanwhile.
   */
  async claim(
    name: 'claimUnsettled' | 'claimFollowing' | 'claimStoring',
    options: { limit: number; leaseMs: number },
  ): Promise<Job[]> {
    const { set, where } = transitionSql(name);
    const claimed = await this.db.rows<JobRow>(
      `with next as materialized (
         select job_id as id from ${this.tracker}
         where ${where} and due_at <= clock_timestamp() and (lease_until is null or lease_until < clock_timestamp())
         order by due_at limit $1 for update skip locked
       )
       update ${this.tracker} set ${set}, lease_owner = $3, lease_until = ${inMs('$2')}
       from next where job_id = next.id
       returning ${jobColumns}`,
      [options.limit, options.leaseMs, this.owner],
    );
    return claimed.map(toJob);
  }

  /** Gives a claimed job back in its stage: it is due again after the delay. */
  async postpone(job: Job, options: { delayMs: number; hasFailed: boolean }): Promise<void> {
    await this.db.affected(
      `update ${this.tracker} set
         lease_until = null, attempts = attempts + $5::int,
         -- Without a lease, a webhook has made the job due meanwhile, and it stays due.
         due_at = case when lease_until is null then least(due_at, ${inMs('$4')}) else ${inMs('$4')} end
       where job_id = $1 and stage = $2 and lease_owner = $3`,
      [job.id, job.stage, this.owner, options.delayMs, options.hasFailed ? 1 : 0],
    );
  }

  /**
   * Records the run of a job, whoever found it. `recorded`: by this call; `known`: it was recorded before; `orphan`:
   * the job has another run or needs none any more. Then this run has to be aborted.
   */
  async recordRun(id: JobId, run: ProviderRun, followInMs: number): Promise<'recorded' | 'known' | 'orphan'> {
    const recorded = await this.move(run.status === 'RUNNING' ? 'runningRunKnown' : 'runKnown', {
      set: `provider_run_id = $2, provider_status = $3, dataset_id = $4, attempts = 0, holds_slot = true,
        due_at = case when abort_requested_at is null then ${inMs('$5')} else clock_timestamp() end`,
      where: 'job_id = $1 and provider_run_id is null',
      values: [id, run.id, run.status, run.datasetId, followInMs],
    });
    if (recorded) return 'recorded';
    const known = await this.db.rows(`select 1 from ${this.tracker} where job_id = $1 and provider_run_id = $2`, [
      id,
      run.id,
    ]);
    return known.length > 0 ? 'known' : 'orphan';
  }

  /**
   * Gives a job back whose start certainly began nothing. One that is to be aborted ends here as ABORTED.
   * Answers its status then; undefined when the claim is no longer the latest and nothing was changed.
   */
  async requeue(claim: Claim, options: { delayMs: number; failures: number }): Promise<TrackerStatus | undefined> {
    const job = await this.move('noRun', {
      set: `holds_slot = false, settle_after = null, start_failures = $4, due_at = ${inMs('$3')}`,
      where: 'job_id = $1 and start_fence = $2',
      values: [claim.id, claim.startFence, options.delayMs, options.failures],
    });
    return job?.status;
  }

  /** Ends a job that could not be started: FAILED, or ABORTED when requested. Undefined when it had ended before. */
  async failStart(claim: Claim, error: string): Promise<TrackerStatus | undefined> {
    const job = await this.move('startFailed', {
      set: 'holds_slot = false, error = case when abort_requested_at is null then $3 end',
      where: 'job_id = $1 and start_fence = $2',
      values: [claim.id, claim.startFence, error],
    });
    return job?.status;
  }

  /** The outcome of the call is unknown: look for a run at once, and believe its absence only after `settleMs`. */
  async markUnsettled(claim: Claim, settleMs: number): Promise<void> {
    await this.move('startUnknown', {
      set: `due_at = clock_timestamp(), attempts = 0, settle_after = ${inMs('$3')}`,
      where: 'job_id = $1 and start_fence = $2',
      values: [claim.id, claim.startFence, settleMs],
    });
  }

  /** Those of the jobs whose missing run now proves that none was started; the database's clock decides. */
  async listSettled(ids: readonly JobId[]): Promise<Set<JobId>> {
    const settled = await this.db.rows<{ job_id: JobId }>(
      `select job_id from ${this.tracker} where job_id = any($1) and settle_after <= clock_timestamp()`,
      [ids],
    );
    return new Set(settled.map((row) => row.job_id));
  }

  /**
   * Makes jobs due whose webhooks came, in the order of arrival; a job whose run was not known yet gets it here. A run
   * belongs to one job, whatever the headers of its webhooks say: the first that got it keeps it.
   * Answers the jobs as they are afterwards.
   */
  async applyWebhooks(
    tx: Tx,
    webhooks: readonly { runId: string; jobId: JobId }[],
  ): Promise<Map<JobId, Pick<Job, 'providerRunId' | 'stage'>>> {
    const { set, where } = transitionSql('webhook');
    const firstOfRun = [...new Map(webhooks.toReversed().map((each) => [each.runId, each])).values()];
    // Locked first, in the order of their ids, as everywhere where several jobs are changed at once.
    const ids = webhooks.map(({ jobId }) => jobId);
    await tx.rows(`select job_id from ${this.tracker} where job_id = any($1) order by job_id for update`, [ids]);
    await tx.affected(
      `update ${this.tracker} as job set
         ${set}, provider_run_id = webhook.run_id, holds_slot = false, attempts = 0,
         due_at = clock_timestamp(), lease_until = null
       from unnest($1::uuid[], $2::text[]) as webhook(job_id, run_id)
       where job.job_id = webhook.job_id and ${where}
         and (job.provider_run_id is null or job.provider_run_id = webhook.run_id)
         and not exists (
           select from ${this.tracker} as other
           where other.provider_run_id = webhook.run_id and other.job_id <> webhook.job_id)`,
      [firstOfRun.map(({ jobId }) => jobId), firstOfRun.map(({ runId }) => runId)],
    );
    const jobs = await tx.rows<JobRow>(`select ${jobColumns} from ${this.tracker} where job_id = any($1)`, [ids]);
    return new Map(jobs.map(toJob).map((job) => [job.id, job]));
  }

  /**
   * Writes what the provider said about the run, and what the run cost once it has ended. A cost that the provider does
   * not say counts as what was reserved. False when the job had moved on before.
   */
  async applyRun(
    id: JobId,
    run: ProviderRun,
    change: { transition: TransitionName; error: string | undefined; dueInMs: number; costDueInMs: number },
  ): Promise<boolean> {
    const { to, endsRun }: Transition = transitions[change.transition];
    const job = await this.move(change.transition, {
      set: `provider_status = $3, dataset_id = $4, error = $5, attempts = 0,
        holds_slot = holds_slot and ${to === 'following'},
        cost_micro_usd = case when ${endsRun === true} then coalesce($7::bigint, reserved_micro_usd) end,
        cost_due_at = case when ${endsRun === true} then ${inMs('$8')} end,
        -- Without a lease the job was called up by a webhook during this look: that stays due.
        due_at = case when lease_until is null then least(due_at, ${inMs('$6')}) else ${inMs('$6')} end`,
      where: 'job_id = $1 and provider_run_id = $2',
      values: [
        ...[id, run.id, run.status, run.datasetId, change.error ?? null, change.dueInMs],
        ...[run.costUsd === undefined ? null : toMicroUsd(run.costUsd), change.costDueInMs],
      ],
    });
    return job !== undefined;
  }

  /** Ends a job whose run the provider no longer knows. Its cost is what was reserved. True when this call did. */
  async failMissingRun(id: JobId, error: string): Promise<boolean> {
    const job = await this.move('runMissing', {
      set: 'error = $2, holds_slot = false, cost_micro_usd = reserved_micro_usd',
      where: 'job_id = $1',
      values: [id, error],
    });
    return job !== undefined;
  }

  /** Ends a job whose items the provider no longer has. True when this call did. */
  async failMissingItems(id: JobId, error: string): Promise<boolean> {
    const job = await this.move('itemsMissing', { set: 'error = $2', where: 'job_id = $1', values: [id, error] });
    return job !== undefined;
  }

  /** Ended jobs whose cost is due to be read once more. Nobody else has them for the time of a lease. */
  async claimCosts(options: { limit: number; leaseMs: number }): Promise<Job[]> {
    const claimed = await this.db.rows<JobRow>(
      `with next as materialized (
         select job_id as id from ${this.tracker}
         where cost_due_at <= clock_timestamp() order by cost_due_at limit $1 for update skip locked
       )
       update ${this.tracker} set cost_due_at = ${inMs('$2')}
       from next where job_id = next.id
       returning ${jobColumns}`,
      [options.limit, options.leaseMs],
    );
    return claimed.map(toJob);
  }

  /** Writes what the provider says finally about the cost of a run; undefined leaves what was known at its end. */
  async settleCost(id: JobId, costMicroUsd: number | undefined): Promise<void> {
    await this.db.affected(
      `with before as materialized (
         select job_id, cost_micro_usd from ${this.tracker} where job_id = $1 and cost_due_at is not null for update
       ), moved as (
         update ${this.tracker} as job
         set cost_micro_usd = coalesce($2::bigint, before.cost_micro_usd), cost_due_at = null
         from before where job.job_id = before.job_id
         returning job.user_company_id, job.created_at, job.cost_micro_usd - before.cost_micro_usd as grown_by
       )
       ${this.addToTotals}`,
      [id, costMicroUsd ?? null],
    );
  }

  /** Items up to here are in the warehouse. False when another replica has taken the job over. */
  async recordProgress(id: JobId, itemsRead: number, leaseMs: number): Promise<boolean> {
    const kept = await this.db.affected(
      `update ${this.tracker} set items_read = $3, attempts = 0, lease_until = ${inMs('$4')}
       where job_id = $1 and stage = 'storing' and lease_owner = $2`,
      [id, this.owner, itemsRead, leaseMs],
    );
    return kept > 0;
  }

  /**
   * The one statement that makes a job COMPLETED: state, counts and date together, and only by the replica that stored
   * the items. True when it did.
   */
  async complete(id: JobId, counts: ItemCounts): Promise<boolean> {
    const job = await this.move('itemsStored', {
      set: `posts_count = $3, reactions_count = $4, comments_count = $5,
        left_over_count = (select count(*) from ${this.leftOverItems} as left_over
                           where left_over.provider_run_id = job.provider_run_id)`,
      where: 'job_id = $1 and lease_owner = $2',
      values: [id, this.owner, counts.posts, counts.reactions, counts.comments],
    });
    return job !== undefined;
  }

  /**
   * Marks the company's active jobs for these targets as to be aborted. This happens before the provider is asked, so
   * that a crash in between does not lose the request. A job that was never sent to the provider is ABORTED here; one
   * whose run has succeeded is left alone. Answers the jobs as they are afterwards.
   */
  async requestAborts(request: {
    userCompanyId: string;
    targets: readonly Target[];
    /** The caller; null when nobody is known. The first who asked is kept. */
    abortedBy: string | null;
  }): Promise<Map<string, Job>> {
    return this.db.transaction(async (tx) => {
      // Locked in the order of their ids, as everywhere where several jobs are changed at once.
      const active = await tx.rows<{ job_id: JobId }>(
        `select job_id from ${this.tracker}
         where user_company_id = $1 and target_key = any($2) and status in ('PENDING', 'RUNNING')
         order by job_id for update`,
        [request.userCompanyId, request.targets.map(targetKey)],
      );
      const ids = active.map((row) => row.job_id);
      await this.requestAbort(tx, ids, request.abortedBy);
      const jobs = await tx.rows<JobRow>(`select ${jobColumns} from ${this.tracker} where job_id = any($1)`, [ids]);
      return new Map(jobs.map(toJob).map((job) => [targetKey(job), job]));
    });
  }

  /**
   * The same for jobs by their ids. Nobody waits: the background aborts those that run, at once. Answers the jobs of
   * which nobody had asked an abort before.
   */
  async requestAbortsOf(jobIds: readonly JobId[], abortedBy: string | null): Promise<Set<JobId>> {
    return this.db.transaction(async (tx) => {
      const active = await tx.rows<{ job_id: JobId }>(
        `select job_id from ${this.tracker}
         where job_id = any($1) and status in ('PENDING', 'RUNNING') and stage <> 'storing' and abort_requested_at is null
         order by job_id for update`,
        [jobIds],
      );
      const ids = active.map((row) => row.job_id);
      await this.requestAbort(tx, ids, abortedBy);
      await tx.affected(
        `update ${this.tracker} set due_at = least(due_at, clock_timestamp()) where job_id = any($1) and stage = 'following'`,
        [ids],
      );
      return new Set(ids);
    });
  }

  private async requestAbort(tx: Tx, ids: readonly JobId[], abortedBy: string | null): Promise<void> {
    await tx.affected(
      `update ${this.tracker} set abort_requested_at = now(), aborted_by = $2
       where job_id = any($1) and stage <> 'storing' and abort_requested_at is null`,
      [ids, abortedBy],
    );
    await this.move('abortQueued', { set: '', where: 'job_id = any($1)', values: [ids] }, tx);
  }

  /** One statement that makes a transition and ends the lease. Answers the job; undefined when nothing was changed. */
  private async move(
    name: TransitionName,
    { set, where, values }: { set: string; where: string; values: readonly unknown[] },
    on: Queries = this.db,
  ): Promise<Job | undefined> {
    const transition = transitionSql(name);
    const assignments = [transition.set, 'lease_until = null', ...(set === '' ? [] : [set])].join(', ');
    const move = `update ${this.tracker} as job set ${assignments}
       where ${transition.where} and ${where}
       returning ${jobColumns}`;
    const { endsRun }: Transition = transitions[name];
    const [row] = await on.rows<JobRow>(
      endsRun
        ? `with moved as (${move}, cost_micro_usd as grown_by), added as (${this.addToTotals}) select * from moved`
        : move,
      values,
    );
    return row && toJob(row);
  }

  /** Adds what the costs of the jobs in `moved` have grown by to the totals of their companies and days. */
  private get addToTotals(): string {
    return `insert into ${this.companyCosts} as total (user_company_id, day, cost_micro_usd)
       select user_company_id, (created_at at time zone 'UTC')::date, grown_by from moved where grown_by <> 0
       on conflict (user_company_id, day) do update set cost_micro_usd = total.cost_micro_usd + excluded.cost_micro_usd`;
  }
}

/** A moment so many milliseconds from now, by the database's clock, which all replicas share. */
function inMs(parameter: string): string {
  return `clock_timestamp() + ${parameter} * interval '1 ms'`;
}
