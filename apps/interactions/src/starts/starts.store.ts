import { Injectable } from '@nestjs/common';
import type { ProviderRun } from '@tradewind/scraping-provider';
import { DataSource } from 'typeorm';
import { AppConfig } from '../app.config.js';
import { trackerTables, type TrackerTables } from '../tracker/tracker-tables.js';
import { jobColumns, rows, toJob, type JobRow } from '../tracker/tracker-rows.js';
import type { Job, JobId, TrackerStatus } from '../tracker/tracker.types.js';

/** A job whose start this process may send, and which claim of it this is. */
export type Claim = Pick<Job, 'id' | 'startFence'>;

/** Claims and outcomes of starts. Every move is one statement with its condition in the `where`. */
@Injectable()
export class StartsStore {
  private readonly tables: TrackerTables;

  constructor(
    private readonly dataSource: DataSource,
    config: AppConfig,
  ) {
    this.tables = trackerTables(config.ENVIRONMENT);
  }

  /**
   * Takes up to `room` queued jobs, oldest first, within the slots that are free at the provider over all replicas, and
   * records that their starts are on their way. Until `leaseMs` from now nobody else touches them.
   */
  async claim(options: { room: number; slots: number; leaseMs: number }): Promise<Job[]> {
    return this.dataSource.transaction(async (tx) => {
      // The gate's lock makes counting and taking one step: two replicas cannot fill the same slot.
      const [gate] = await rows<{ open: boolean }>(
        tx,
        `select paused_until <= clock_timestamp() as open from ${this.tables.startGate} for update`,
      );
      if (!gate?.open) return [];
      const claimed = await rows<JobRow>(
        tx,
        `with free as (
           select least($1::int, $2::int - count(*)::int) as slots from ${this.tables.tracker} where holds_slot
         ), next as materialized (
           select job_id as id from ${this.tables.tracker}
           where stage = 'queued' and due_at <= clock_timestamp()
           order by created_at, job_id
           limit greatest(0, (select slots from free))
           for update skip locked
         )
         update ${this.tables.tracker} set
           stage = 'starting', holds_slot = true, start_fence = start_fence + 1, start_called_at = clock_timestamp(),
           lease_until = clock_timestamp() + $3 * interval '1 ms', settle_after = clock_timestamp() + $3 * interval '1 ms'
         from next where job_id = next.id
         returning ${jobColumns}`,
        [options.room, options.slots, options.leaseMs],
      );
      return claimed.map(toJob).sort((a, b) => a.createdAt.getTime() - b.createdAt.getTime());
    });
  }

  /**
   * Records the run of a job, whoever found it. `recorded`: by this call; `known`: it was recorded before;
   * `surplus`: the job has another run or needs none any more, so this one has to be aborted.
   */
  async recordRun(id: JobId, run: ProviderRun, followInMs: number): Promise<'recorded' | 'known' | 'surplus'> {
    const recorded = await rows(
      this.dataSource,
      `update ${this.tables.tracker} set
         provider_run_id = $2, provider_status = $3, dataset_id = $4, stage = 'following', attempts = 0, holds_slot = true,
         status = case when $3 = 'RUNNING' and status = 'PENDING' then 'RUNNING' else status end,
         due_at = clock_timestamp() + (case when abort_requested_at is null then $5::int else 0 end) * interval '1 ms',
         lease_until = null
       where job_id = $1 and provider_run_id is null and stage in ('queued', 'starting', 'unsettled')
         and status in ('PENDING', 'RUNNING')
       returning job_id`,
      [id, run.id, run.status, run.datasetId, followInMs],
    );
    if (recorded.length > 0) {
      await this.dataSource.query(`update ${this.tables.startGate} set refusals = 0 where refusals > 0`);
      return 'recorded';
    }
    const known = await rows(
      this.dataSource,
      `select 1 from ${this.tables.tracker} where job_id = $1 and provider_run_id = $2`,
      [id, run.id],
    );
    return known.length > 0 ? 'known' : 'surplus';
  }

  /**
   * Gives a job back whose start certainly began nothing. One that is to be aborted ends here as ABORTED.
   * Answers how the job stands then; undefined when the claim is no longer the latest and nothing was changed.
   */
  async requeue(claim: Claim, options: { delayMs: number; failures: number }): Promise<TrackerStatus | undefined> {
    const [requeued] = await rows<{ status: TrackerStatus }>(
      this.dataSource,
      `update ${this.tables.tracker} set
         status = case when abort_requested_at is null then status else 'ABORTED' end,
         stage = case when abort_requested_at is null then 'queued' else 'done' end,
         holds_slot = false, lease_until = null, settle_after = null, start_failures = $4,
         due_at = clock_timestamp() + $3 * interval '1 ms'
       where job_id = $1 and start_fence = $2 and stage in ('starting', 'unsettled')
       returning status`,
      [claim.id, claim.startFence, options.delayMs, options.failures],
    );
    return requeued?.status;
  }

  /** Ends a job that could not be started: FAILED, or ABORTED when that was asked for. Undefined when it had ended before. */
  async fail(claim: Claim, error: string): Promise<TrackerStatus | undefined> {
    const [failed] = await rows<{ status: TrackerStatus }>(
      this.dataSource,
      `update ${this.tables.tracker} set
         status = case when abort_requested_at is null then 'FAILED' else 'ABORTED' end,
         completed_date = case when abort_requested_at is null then clock_timestamp() end,
         error = case when abort_requested_at is null then $3 end,
         stage = 'done', holds_slot = false, lease_until = null
       where job_id = $1 and start_fence = $2 and stage in ('queued', 'starting', 'unsettled')
       returning status`,
      [claim.id, claim.startFence, error],
    );
    return failed?.status;
  }

  /** The outcome of the call is unknown: look for a run at once, and believe its absence only after `settleMs`. */
  async markUnsettled(claim: Claim, settleMs: number): Promise<void> {
    await this.dataSource.query(
      `update ${this.tables.tracker} set
         stage = 'unsettled', lease_until = null, due_at = clock_timestamp(), attempts = 0,
         settle_after = clock_timestamp() + $3 * interval '1 ms'
       where job_id = $1 and start_fence = $2 and stage = 'starting'`,
      [claim.id, claim.startFence, settleMs],
    );
  }

  /** Takes jobs whose outcome is unknown, and jobs whose replica fell silent in the middle of a start. */
  async claimUnsettled(options: { limit: number; leaseMs: number }): Promise<Job[]> {
    const claimed = await rows<JobRow>(
      this.dataSource,
      `with next as materialized (
         select job_id as id from ${this.tables.tracker}
         where (stage = 'unsettled' and due_at <= clock_timestamp() or stage = 'starting')
           and (lease_until is null or lease_until < clock_timestamp())
         order by job_id limit $1 for update skip locked
       )
       update ${this.tables.tracker} set
         stage = 'unsettled', lease_until = clock_timestamp() + $2 * interval '1 ms'
       from next where job_id = next.id
       returning ${jobColumns}`,
      [options.limit, options.leaseMs],
    );
    return claimed.map(toJob);
  }

  /** Not found and not yet proved absent: looks again later. */
  async lookAgain(claim: Claim, delayMs: number): Promise<void> {
    await this.dataSource.query(
      `update ${this.tables.tracker} set
         lease_until = null, attempts = attempts + 1, due_at = clock_timestamp() + $3 * interval '1 ms'
       where job_id = $1 and start_fence = $2 and stage = 'unsettled'`,
      [claim.id, claim.startFence, delayMs],
    );
  }

  /** Whether absence now proves that no run was started; the database's clock decides, as it set the moment. */
  async isSettled(id: JobId): Promise<boolean> {
    const [row] = await rows<{ settled: boolean }>(
      this.dataSource,
      `select settle_after <= clock_timestamp() as settled from ${this.tables.tracker} where job_id = $1`,
      [id],
    );
    return row?.settled ?? false;
  }

  /** Those of the given runs that some job already has. */
  async knownRuns(runIds: readonly string[]): Promise<Set<string>> {
    const found = await rows<{ provider_run_id: string }>(
      this.dataSource,
      `select provider_run_id from ${this.tables.tracker} where provider_run_id = any($1)`,
      [runIds],
    );
    return new Set(found.map((row) => row.provider_run_id));
  }

  /** Refusals in a row so far, and whether starts are paused at the moment. */
  async gate(): Promise<{ refusals: number; isPaused: boolean }> {
    const [row] = await rows<{ refusals: number; paused: boolean }>(
      this.dataSource,
      `select refusals, paused_until > clock_timestamp() as paused from ${this.tables.startGate}`,
    );
    return { refusals: row?.refusals ?? 0, isPaused: row?.paused ?? false };
  }

  /** Pauses all starts. The refusals of one burst count once: those that come while it is paused only prolong it. */
  async pause(delayMs: number): Promise<void> {
    await this.dataSource.query(
      `update ${this.tables.startGate} set
         refusals = refusals + (case when paused_until <= clock_timestamp() then 1 else 0 end),
         paused_until = greatest(paused_until, clock_timestamp() + $1 * interval '1 ms')`,
      [delayMs],
    );
  }
}
