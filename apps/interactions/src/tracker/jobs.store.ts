import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { ProfileEntity, RunInput } from '@tradewind/scraping-provider';
import { Db, isDatabaseUnavailable, type Queries, type Tx } from '@tradewind/service-kit';
import { AppConfig } from '../app.config.js';
import { trackerTables, type TrackerTables } from './tracker-tables.js';
import { CostsStore, type MonthCosts } from './costs.store.js';
import { jobColumns, toJob, type JobRow } from './tracker-rows.js';
import { targetKey, type Job, type JobId, type Target, type TrackerStatus } from './tracker.types.js';

export interface NewJobs {
  userCompanyId: string;
  triggerUserId: string | null;
  /** The caller; null when nobody is known. */
  triggeredBy: string | null;
  inputs: readonly RunInput[];
  /** The failed jobs that they repeat, in the order of the inputs; each is repeated once. */
  reRunOf?: readonly JobId[];
  /** What each run may cost, millionths of a US dollar. */
  reservedMicroUsd: number;
  /** What the company may spend in a month; null without a limit. */
  budgetMicroUsd: number | null;
  /** How long to find out whether they were recorded when the database did not answer; by `performance.now()`. */
  deadline: number;
}

/**
 * What became of a proposed job. It is recorded or refused. It is refused when the company has an active run for the
 * target, or its budget has no room for one more run.
 */
export type NewJob = { id: JobId } | { refused: 'active' } | { refused: 'over_budget'; costs: MonthCosts };

interface Proposal {
  job_id: JobId;
  handle: string;
  entity: Target['entity'];
  target_key: string;
  input: RunInput;
  re_run_of: JobId | null;
}

interface Recorded {
  ids: JobId[];
  overBudget: ReadonlySet<JobId>;
  /** Of the company, where it has a budget. */
  costs?: MonthCosts;
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

/** `re_run`: of failed jobs; `abort`: of active ones. */
export type BulkAction = 're_run' | 'abort';

export interface JobOfBulk extends Job {
  /** Whether its company has an active run for its target. */
  hasActive: boolean;
}

/** Counting ends there: whoever takes more does so in several steps anyway. */
export const matchedMax = 10_000;
/** Runs of each kind by which another one is estimated. */
const knownCostsMax = 100;

export interface KnownCost {
  entity: ProfileEntity;
  input: RunInput;
  costMicroUsd: number;
}

/** Position in the order of handles, ties by id. */
export interface HandlePosition {
  /** In lower case. */
  handle: string;
  id: JobId;
}

/** The handle in lower case, as the indexes tracker_handle and tracker_company_handle have it. */
const handleSql = `substr(target_key, strpos(target_key, ':') + 1) collate "C"`;

/** Makes, finds and deletes jobs; TransitionsStore moves them. */
@Injectable()
export class JobsStore {
  private readonly tables: TrackerTables;

  constructor(
    private readonly db: Db,
    private readonly costs: CostsStore,
    config: AppConfig,
  ) {
    this.tables = trackerTables(config.ENVIRONMENT);
  }

  /**
   * Records one queued job per input, in the order of the inputs, as far as the budget of the company has room.
   * The unique index decides which of two parallel requests gets a target.
   *
   * When the connection breaks after the statement was sent, the jobs may be recorded, and would then be started. So
   * the same statement with the same ids is sent again until the deadline. Throws at once when the database cannot be
   * reached at all: nothing is recorded then.
   */
  async create(jobs: NewJobs): Promise<NewJob[]> {
    const proposals = jobs.inputs.map((input, index) => ({
      job_id: randomUUID() as JobId,
      handle: input.networkHandle,
      entity: input.entity,
      target_key: targetKey(input),
      input,
      re_run_of: jobs.reRunOf?.[index] ?? null,
    }));
    const record = (on: Pick<Db, 'rows' | 'transaction'>): Promise<Recorded> => {
      const { budgetMicroUsd } = jobs;
      if (budgetMicroUsd === null) return this.insert(on, jobs, proposals);
      return on.transaction((tx) => this.insertWithin(budgetMicroUsd, tx, jobs, proposals));
    };
    const sent = await this.db.session((connection) =>
      record(connection).catch((error: unknown) => {
        if (!isDatabaseUnavailable(error)) throw error;
        return { error };
      }),
    );
    // The connection is free by now. Triggers that kept theirs while they wait for another would keep out everybody.
    const recorded =
      'ids' in sent ? sent : await this.recordAgain(() => record(this.db), proposals, jobs.deadline, sent.error);
    const ids = new Set(recorded.ids);
    return proposals.map(({ job_id: id }) => {
      if (ids.has(id)) return { id };
      if (recorded.costs && recorded.overBudget.has(id)) return { refused: 'over_budget', costs: recorded.costs };
      return { refused: 'active' };
    });
  }

  private async insert(
    on: Pick<Queries, 'rows'>,
    { userCompanyId, triggerUserId, triggeredBy, reservedMicroUsd }: NewJobs,
    proposals: readonly Proposal[],
  ): Promise<Recorded> {
    // In the order of the keys: two requests that share targets then wait for one another instead of deadlocking.
    const created = await on.rows<{ job_id: JobId }>(
      `insert into ${this.tables.tracker}
         (job_id, "networkUsername", "entityType", status, user_company_id, trigger_user_id, triggered_by, target_key,
          input, stage, reserved_micro_usd, re_run_of)
       select job_id, handle, entity, 'PENDING', $2, $3, $4, target_key, input, 'queued', $5, re_run_of
       from jsonb_to_recordset($1::jsonb)
         as t(job_id uuid, handle text, entity text, target_key text, input jsonb, re_run_of uuid)
       order by target_key
       on conflict do nothing
       returning job_id`,
      [JSON.stringify(proposals), userCompanyId, triggerUserId, triggeredBy, reservedMicroUsd],
    );
    return { ids: created.map((row) => row.job_id), overBudget: new Set() };
  }

  /** Records the first that the budget has room for, of those whose targets are free. */
  private async insertWithin(
    budgetMicroUsd: number,
    tx: Tx,
    jobs: NewJobs,
    proposals: readonly Proposal[],
  ): Promise<Recorded> {
    await this.costs.lock(tx, jobs.userCompanyId);
    // Sent after the lock was given, so that it sees what the last holder recorded.
    const costs = await this.costs.get(jobs.userCompanyId, undefined, tx);
    const active = await tx.rows<{ target_key: string }>(
      `select target_key from ${this.tables.tracker}
       where user_company_id = $1 and target_key = any($2) and status in ('PENDING', 'RUNNING')`,
      [jobs.userCompanyId, proposals.map((each) => each.target_key)],
    );
    const taken = new Set(active.map((row) => row.target_key));
    const free = proposals.filter((each) => !taken.has(each.target_key));
    const leftMicroUsd = budgetMicroUsd - costs.spentMicroUsd - costs.reservedMicroUsd;
    const room = Math.max(0, Math.floor(leftMicroUsd / jobs.reservedMicroUsd));
    const { ids } = await this.insert(tx, jobs, free.slice(0, room));
    return { ids, costs, overBudget: new Set(free.slice(room).map((each) => each.job_id)) };
  }

  /** Records once more what may be recorded already, and finds out what is. */
  private async recordAgain(
    record: () => Promise<Recorded>,
    proposals: readonly Proposal[],
    deadline: number,
    cause: unknown,
  ): Promise<Recorded> {
    while (performance.now() + findOutPauseMs < deadline) {
      await delay(findOutPauseMs);
      try {
        // It waits for an earlier one that is still being committed.
        const recorded = await record();
        const found = await this.db.rows<{ job_id: JobId }>(
          `select job_id from ${this.tables.tracker} where job_id = any($1)`,
          [proposals.map((each) => each.job_id)],
        );
        return { ...recorded, ids: found.map((row) => row.job_id) };
      } catch (error) {
        if (!isDatabaseUnavailable(error)) throw error;
      }
    }
    throw cause;
  }

  /** Those of the jobs that have a run or have ended. */
  async listStarted(ids: readonly JobId[]): Promise<Job[]> {
    const found = await this.db.rows<JobRow>(
      `select ${jobColumns} from ${this.tables.tracker}
       where job_id = any($1) and stage not in ('queued', 'starting', 'unsettled')`,
      [ids],
    );
    return found.map(toJob);
  }

  /** Those of the given runs that some job already has, with their jobs. */
  async listByRun(runIds: readonly string[]): Promise<Map<string, JobId>> {
    const found = await this.db.rows<{ provider_run_id: string; job_id: JobId }>(
      `select provider_run_id, job_id from ${this.tables.tracker} where provider_run_id = any($1)`,
      [runIds],
    );
    return new Map(found.map((row) => [row.provider_run_id, row.job_id]));
  }

  /** Those of the ids that belong to a job. */
  async listKnown(ids: readonly string[]): Promise<Set<string>> {
    if (ids.length === 0) return new Set();
    const found = await this.db.rows<{ job_id: string }>(
      `select job_id from ${this.tables.tracker} where job_id = any($1)`,
      [ids],
    );
    return new Set(found.map((row) => row.job_id));
  }

  /** By the provider's run id, or by our own id for jobs that have no run yet. */
  async findByRunOrJobId(id: string): Promise<Job | undefined> {
    const found = await this.db.rows<JobRow>(
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
    const { conditions, bind, parameters } = conditionsOf(filter);
    if (page.after) {
      conditions.push(
        `(created_at, job_id) < (${bind(page.after.createdAt)}::timestamptz, ${bind(page.after.id)}::uuid)`,
      );
    }
    const found = await this.db.rows<JobRow>(
      `select ${jobColumns} from ${this.tables.tracker} where ${conditions.join(' and ')}
       order by created_at desc, job_id desc limit ${bind(page.limit)}`,
      parameters,
    );
    return found.map(toJob);
  }

  /**
   * Failed jobs that were not repeated, or active jobs of which nobody has asked an abort: those that a bulk action
   * would take. Newest first.
   */
  async listFor(
    action: BulkAction,
    { ids, ...filter }: JobFilter & { ids?: readonly string[] },
    page: { after?: JobPosition | undefined; limit: number },
  ): Promise<{ jobs: JobOfBulk[]; matched: number }> {
    const { conditions, bind, parameters } = conditionsOf(filter);
    if (ids) conditions.push(`job_id = any(${bind(ids)}::uuid[])`);
    conditions.push(
      action === 'abort'
        ? `status in ('PENDING', 'RUNNING') and stage <> 'storing' and abort_requested_at is null`
        : `status = 'FAILED' and not exists (select from ${this.tables.tracker} again where again.re_run_of = job.job_id)`,
    );
    const from = `from ${this.tables.tracker} job where ${conditions.join(' and ')}`;
    const [count] = await this.db.rows<{ count: number }>(
      `select count(*)::int as count from (select 1 ${from} limit ${matchedMax}) as found`,
      parameters,
    );
    const after = page.after
      ? ` and (created_at, job_id) < (${bind(page.after.createdAt)}::timestamptz, ${bind(page.after.id)}::uuid)`
      : '';
    const found = await this.db.rows<JobRow & { has_active: boolean }>(
      `select ${jobColumns},
         exists (select from ${this.tables.tracker} active where active.user_company_id = job.user_company_id
                  and active.target_key = job.target_key and active.status in ('PENDING', 'RUNNING')) as has_active
       ${from}${after} order by created_at desc, job_id desc limit ${page.limit}`,
      parameters,
    );
    return { jobs: found.map((row) => ({ ...toJob(row), hasActive: row.has_active })), matched: count!.count };
  }

  /**
   * What the last runs of a company for persons, and those for companies, were asked for and cost. It looks at its last
   * thousand runs at most, so one kind that is rare among them may be missing.
   */
  async listKnownCosts(userCompanyId: string): Promise<KnownCost[]> {
    const rows = await this.db.rows<Omit<KnownCost, 'costMicroUsd'> & { cost: string }>(
      `select entity, input, cost from (
         select *, row_number() over (partition by entity order by created_at desc, job_id desc) as place from (
           select "entityType" as entity, input, cost_micro_usd as cost, created_at, job_id from ${this.tables.tracker}
           where user_company_id = $1 and cost_micro_usd is not null
           order by created_at desc, job_id desc limit ${10 * knownCostsMax}
         ) as latest
       ) as placed where place <= ${knownCostsMax}`,
      [userCompanyId],
    );
    return rows.map(({ cost, ...known }) => ({ ...known, costMicroUsd: Number(cost) }));
  }

  /**
   * One page of the jobs whose handle begins so, in any case, in the order of their handles.
   * Read through tracker_handle or tracker_company_handle; with statuses, the first ones of each through
   * tracker_status_handle, so that a status which few jobs have costs no look at all others.
   */
  async search(
    handleStart: string,
    { userCompanyId, statuses }: Pick<JobFilter, 'userCompanyId' | 'statuses'>,
    page: { after?: HandlePosition | undefined; limit: number },
  ): Promise<Job[]> {
    const parameters: unknown[] = [];
    const bind = (value: unknown) => `$${parameters.push(value)}`;
    const start = handleStart.toLowerCase();
    const conditions = [`${handleSql} >= ${bind(start)}`, `${handleSql} < ${bind(`${start}\u{10FFFF}`)}`];
    if (userCompanyId !== undefined) conditions.push(`user_company_id = ${bind(userCompanyId)}`);
    if (page.after)
      conditions.push(`(${handleSql}, job_id) > (${bind(page.after.handle)}, ${bind(page.after.id)}::uuid)`);
    const pageOf = (condition: string) =>
      `select * from ${this.tables.tracker} where ${conditions.join(' and ')} ${condition}
       order by ${handleSql}, job_id limit ${page.limit}`;
    // The statuses are part of the text, so that the planner knows which of them are rare. They are `trackerStatuses`.
    const pages = statuses ? [...new Set(statuses)].map((status) => pageOf(`and status = '${status}'`)) : [pageOf('')];
    const found = await this.db.rows<JobRow>(
      `select ${jobColumns} from (${pages.map((one) => `(${one})`).join(' union all ')}) as found
       order by ${handleSql}, job_id limit ${page.limit}`,
      parameters,
    );
    return found.map(toJob);
  }

  /** Removes ended jobs older than that many days, with the items kept beside the warehouse, oldest first. */
  async removeEnded(tx: Tx, days: number, limit: number): Promise<number> {
    const [removed] = await tx.rows<{ count: number }>(
      `with old as materialized (
         select job_id, provider_run_id from ${this.tables.tracker}
         where created_at < now() - $1 * interval '1 day' and stage = 'done'
         order by created_at, job_id limit $2 for update skip locked
       ), left_over as (
         delete from ${this.tables.leftOverItems} where provider_run_id in (select provider_run_id from old)
       ), timeline as (
         delete from ${this.tables.timeline} where job_id in (select job_id from old)
       ), ended as (
         delete from ${this.tables.tracker} where job_id in (select job_id from old) returning job_id
       )
       select count(*)::int as count from ended`,
      [days, limit],
    );
    return removed?.count ?? 0;
  }

  /** Age of the oldest job that is neither completed, failed nor aborted, in seconds; 0 without any. */
  async oldestActiveAgeSeconds(): Promise<number> {
    const [row] = await this.db.rows<{ age: number }>(
      `select coalesce(extract(epoch from now() - min(created_at)), 0)::float8 as age
       from ${this.tables.tracker} where status in ('PENDING', 'RUNNING')`,
    );
    return row?.age ?? 0;
  }
}

/** The conditions of a filter, and how to add to them. */
function conditionsOf(filter: JobFilter) {
  const parameters: unknown[] = [];
  const bind = (value: unknown) => `$${parameters.push(value)}`;
  const conditions = ['true'];
  if (filter.userCompanyId !== undefined) conditions.push(`user_company_id = ${bind(filter.userCompanyId)}`);
  if (filter.statuses !== undefined) conditions.push(`status = any(${bind(filter.statuses)})`);
  if (filter.networkHandle !== undefined) {
    const entities = filter.entity ? [filter.entity] : (['PERSON', 'COMPANY'] as const);
    const keys = entities.map((entity) => targetKey({ entity, networkHandle: filter.networkHandle! }));
    conditions.push(`target_key = any(${bind(keys)})`);
    // For the index tracker_handle.
    conditions.push(`${handleSql} = ${bind(filter.networkHandle.toLowerCase())}`);
  } else if (filter.entity !== undefined) conditions.push(`"entityType" = ${bind(filter.entity)}`);
  if (filter.createdFrom) conditions.push(`created_at >= ${bind(filter.createdFrom)}`);
  if (filter.createdBefore) conditions.push(`created_at < ${bind(filter.createdBefore)}`);
  return { conditions, bind, parameters };
}
