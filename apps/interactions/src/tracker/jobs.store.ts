import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { RunInput } from '@tradewind/scraping-provider';
import { isDatabaseUnavailable } from '@tradewind/service-kit';
import { DataSource } from 'typeorm';
import { AppConfig } from '../app.config.js';
import { trackerTables, type TrackerTables } from './tracker-tables.js';
import { jobColumns, rows, toJob, type JobRow, type SqlRunner } from './tracker-rows.js';
import { targetKey, type Job, type JobId, type Target, type TrackerStatus } from './tracker.types.js';

export interface NewJobs {
  userCompanyId: string;
  triggerUserId: string | null;
  /** The caller; null when nobody is known. */
  triggeredBy: string | null;
  inputs: readonly RunInput[];
  /** Until then it is found out whether they were recorded when the database did not say; by `performance.now()`. */
  deadline: number;
}

/** Wait between two attempts to find out whether jobs were recorded. */
const findOutPauseMs = 200;

export interface JobFilter {
  userCompanyId?: string;
  statuses?: readonly TrackerStatus[];
  networkHandle?: string;
  entity?: Target['entity'];
  createdFrom?: Date;
  createdBefore?: Date;
}

/** Position behind which a page begins: newest first, ties by id. */
export interface JobPosition {
  createdAt: Date;
  id: JobId;
}

/** The tracker as callers see it: jobs made, found, listed, asked to abort, and failed when their run is missing. */
@Injectable()
export class JobsStore {
  private readonly tables: TrackerTables;

  constructor(
    private readonly dataSource: DataSource,
    config: AppConfig,
  ) {
    this.tables = trackerTables(config.ENVIRONMENT);
  }

  /**
   * Records one queued job per input, in the order of the inputs; undefined where the company already has an active run
   * for the target. The unique index decides, so two requests at once cannot both win.
   *
   * A connection that breaks after the statement was sent leaves open whether the jobs are recorded, and recorded jobs are
   * started: the same statement with the same ids is then sent again until the deadline. Throws at once when the database
   * cannot be reached at all: nothing is recorded then.
   */
  async create(jobs: NewJobs): Promise<(JobId | undefined)[]> {
    const proposals = jobs.inputs.map((input) => ({
      job_id: randomUUID(),
      handle: input.networkHandle,
      entity: input.entity,
      target_key: targetKey(input),
      input,
    }));
    const insert = async (runner: SqlRunner) =>
      // In the order of the keys: two requests that share targets then wait for one another instead of deadlocking.
      rows<{ job_id: JobId }>(
        runner,
        `insert into ${this.tables.tracker}
           (job_id, "networkUsername", "entityType", status, user_company_id, trigger_user_id, triggered_by, target_key, input, stage)
         select job_id, handle, entity, 'PENDING', $2, $3, $4, target_key, input, 'queued'
         from jsonb_to_recordset($1::jsonb) as t(job_id uuid, handle text, entity text, target_key text, input jsonb)
         order by target_key
         on conflict do nothing
         returning job_id`,
        [JSON.stringify(proposals), jobs.userCompanyId, jobs.triggerUserId, jobs.triggeredBy],
      );
    const connection = this.dataSource.createQueryRunner();
    let created: { job_id: JobId }[];
    try {
      await connection.connect();
      created = await insert(connection).catch(async (error: unknown) => {
        if (!isDatabaseUnavailable(error)) throw error;
        return this.createAgain(insert, proposals, jobs.deadline, error);
      });
    } finally {
      await connection.release();
    }
    const ids = new Set<string>(created.map((row) => row.job_id));
    return proposals.map(({ job_id }) => (ids.has(job_id) ? (job_id as JobId) : undefined));
  }

  /** Those of the proposals that are recorded, by this statement or by one whose answer was lost. */
  private async createAgain(
    insert: (runner: SqlRunner) => Promise<unknown>,
    proposals: readonly { job_id: string }[],
    deadline: number,
    cause: unknown,
  ): Promise<{ job_id: JobId }[]> {
    while (performance.now() + findOutPauseMs < deadline) {
      await delay(findOutPauseMs);
      try {
        // It waits for an earlier one that is still being committed.
        await insert(this.dataSource);
        return await rows<{ job_id: JobId }>(
          this.dataSource,
          `select job_id from ${this.tables.tracker} where job_id = any($1)`,
          [proposals.map(({ job_id }) => job_id)],
        );
      } catch (error) {
        if (!isDatabaseUnavailable(error)) throw error;
      }
    }
    throw cause;
  }

  /** Those of the jobs that have a run or have ended. */
  async listStarted(ids: readonly JobId[]): Promise<Job[]> {
    const found = await rows<JobRow>(
      this.dataSource,
      `select ${jobColumns} from ${this.tables.tracker}
       where job_id = any($1) and stage not in ('queued', 'starting', 'unsettled')`,
      [ids],
    );
    return found.map(toJob);
  }

  /** By the provider's run id, or by our own id for jobs that have no run yet. */
  async findByRunOrJobId(id: string): Promise<Job | undefined> {
    const found = await rows<JobRow>(
      this.dataSource,
      // Text on purpose: an id that is no UUID must find nothing instead of failing.
      `select ${jobColumns} from ${this.tables.tracker} where provider_run_id = $1
       union all
       select ${jobColumns} from ${this.tables.tracker}
       where job_id = (case when $1 ~ '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$' then $1 end)::uuid
       limit 1`,
      [id],
    );
    return found[0] && toJob(found[0]);
  }

  /** One page, newest first. */
  async list(filter: JobFilter, page: { after?: JobPosition; limit: number }): Promise<Job[]> {
    const parameters: unknown[] = [];
    const bind = (value: unknown) => `$${parameters.push(value)}`;
    const conditions = ['true'];
    if (filter.userCompanyId !== undefined) conditions.push(`user_company_id = ${bind(filter.userCompanyId)}`);
    if (filter.statuses !== undefined) conditions.push(`status = any(${bind(filter.statuses)})`);
    if (filter.networkHandle !== undefined) {
      const entities = filter.entity ? [filter.entity] : (['PERSON', 'COMPANY'] as const);
      const keys = entities.map((entity) => targetKey({ entity, networkHandle: filter.networkHandle! }));
      conditions.push(`target_key = any(${bind(keys)})`);
    } else if (filter.entity !== undefined) conditions.push(`"entityType" = ${bind(filter.entity)}`);
    if (filter.createdFrom) conditions.push(`created_at >= ${bind(filter.createdFrom)}`);
    if (filter.createdBefore) conditions.push(`created_at < ${bind(filter.createdBefore)}`);
    if (page.after) {
      conditions.push(
        `(created_at, job_id) < (${bind(page.after.createdAt)}::timestamptz, ${bind(page.after.id)}::uuid)`,
      );
    }
    const found = await rows<JobRow>(
      this.dataSource,
      `select ${jobColumns} from ${this.tables.tracker} where ${conditions.join(' and ')}
       order by created_at desc, job_id desc limit ${bind(page.limit)}`,
      parameters,
    );
    return found.map(toJob);
  }

  /**
   * Marks the company's active jobs for these targets as to be aborted, before the provider is asked, so that a crash in
   * between does not lose the wish. A job that was never sent to the provider is ABORTED by this statement itself; one
   * whose run has already succeeded is left alone. Answers the jobs as they stand afterwards.
   */
  async requestAborts(request: {
    userCompanyId: string;
    targets: readonly Target[];
    /** The caller; null when nobody is known. The first who asked is kept. */
    abortedBy: string | null;
  }): Promise<Map<string, Job>> {
    const found = await rows<JobRow & { target_key: string }>(
      this.dataSource,
      // Locked in the order of their ids, as everywhere where several jobs are changed at once.
      `with active as materialized (
         select job_id as id from ${this.tables.tracker}
         where user_company_id = $1 and target_key = any($2) and status in ('PENDING', 'RUNNING')
         order by job_id for update
       )
       update ${this.tables.tracker} set
         abort_requested_at = case when stage = 'storing' then abort_requested_at else coalesce(abort_requested_at, now()) end,
         aborted_by = case when stage = 'storing' or abort_requested_at is not null then aborted_by else $3 end,
         status = case when stage = 'queued' then 'ABORTED' else status end,
         stage = case when stage = 'queued' then 'done' else stage end
       from active
       where job_id = active.id and status in ('PENDING', 'RUNNING')
       returning target_key, ${jobColumns}`,
      [request.userCompanyId, request.targets.map(targetKey), request.abortedBy],
    );
    return new Map(found.map((row) => [row.target_key, toJob(row)]));
  }

  /** Ends a job whose run, or whose items, the provider no longer has. True when this call did. */
  async failMissing(id: JobId, error: string): Promise<boolean> {
    const failed = await rows(
      this.dataSource,
      `update ${this.tables.tracker} set
         status = 'FAILED', stage = 'done', completed_date = clock_timestamp(), error = $2, holds_slot = false, lease_until = null
       where job_id = $1 and stage in ('following', 'storing') and status in ('PENDING', 'RUNNING')
       returning job_id`,
      [id, error],
    );
    return failed.length > 0;
  }

  /**
   * Deletes jobs that ended and are older than that many days, with the items kept beside the warehouse, a bounded number
   * at a time. True when there are more.
   */
  async forget(days: number, limit: number): Promise<boolean> {
    const [forgotten] = await rows<{ count: number }>(
      this.dataSource,
      `with old as materialized (
         select job_id, provider_run_id from ${this.tables.tracker}
         where created_at < now() - $1 * interval '1 day' and stage = 'done'
         order by created_at, job_id limit $2 for update skip locked
       ), left_over as (
         delete from ${this.tables.leftOverItems} where provider_run_id in (select provider_run_id from old)
       ), forgotten as (
         delete from ${this.tables.tracker} where job_id in (select job_id from old) returning job_id
       )
       select count(*)::int as count from forgotten`,
      [days, limit],
    );
    return forgotten?.count === limit;
  }

  /** Age of the oldest job that is neither completed, failed nor aborted, in seconds; 0 without any. */
  async oldestActiveAgeSeconds(): Promise<number> {
    const [row] = await rows<{ age: number }>(
      this.dataSource,
      `select coalesce(extract(epoch from now() - min(created_at)), 0)::float8 as age
       from ${this.tables.tracker} where status in ('PENDING', 'RUNNING')`,
    );
    return row?.age ?? 0;
  }
}
