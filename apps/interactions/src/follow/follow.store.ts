import { Injectable } from '@nestjs/common';
import type { ProviderRun } from '@tradewind/scraping-provider';
import { DataSource } from 'typeorm';
import { AppConfig } from '../app.config.js';
import { trackerTables, type TrackerTables } from '../tracker/tracker-tables.js';
import { jobColumns, rows, toJob, type JobRow } from '../tracker/tracker-rows.js';
import type { Job, JobId } from '../tracker/tracker.types.js';
import type { FollowDecision } from './follow-decision.js';

/** Moves of jobs whose run is being watched. Every one holds only while the job is still in that stage. */
@Injectable()
export class FollowStore {
  private readonly tables: TrackerTables;

  constructor(
    private readonly dataSource: DataSource,
    config: AppConfig,
  ) {
    this.tables = trackerTables(config.ENVIRONMENT);
  }

  /** Takes runs that are due to be looked at, longest due first. */
  async claimDue(options: { limit: number; leaseMs: number }): Promise<Job[]> {
    const claimed = await rows<JobRow>(
      this.dataSource,
      `with next as materialized (
         select job_id as id from ${this.tables.tracker}
         where stage = 'following' and due_at <= clock_timestamp()
           and (lease_until is null or lease_until < clock_timestamp())
         order by due_at limit $1 for update skip locked
       )
       update ${this.tables.tracker} set lease_until = clock_timestamp() + $2 * interval '1 ms'
       from next where job_id = next.id
       returning ${jobColumns}`,
      [options.limit, options.leaseMs],
    );
    return claimed.map(toJob);
  }

  /** Writes what the provider told about the run. True when the job was still watched, so that this changed it. */
  async apply(id: JobId, run: ProviderRun, decision: FollowDecision, lookAgainMs: number): Promise<boolean> {
    const isEnd = decision.stage === 'done';
    const changed = await rows(
      this.dataSource,
      `update ${this.tables.tracker} set
         provider_status = $2, dataset_id = $3, status = coalesce($4, status), stage = $5,
         completed_date = case when $4 = 'FAILED' then clock_timestamp() else completed_date end,
         error = $6, holds_slot = holds_slot and $5 = 'following',
         -- Without a lease the job was called up by a webhook while this look was under way: that stays due.
         due_at = case when lease_until is null then least(due_at, clock_timestamp() + $7 * interval '1 ms')
                       else clock_timestamp() + $7 * interval '1 ms' end,
         lease_until = null, attempts = 0
       where job_id = $1 and provider_run_id = $8 and stage = 'following' and status in ('PENDING', 'RUNNING')
       returning job_id`,
      [
        id,
        run.status,
        run.datasetId,
        decision.status ?? null,
        decision.stage,
        decision.error ?? null,
        isEnd ? 0 : lookAgainMs,
        run.id,
      ],
    );
    return changed.length > 0;
  }

  /** The provider did not tell: looks again later. */
  async lookAgain(id: JobId, delayMs: number): Promise<void> {
    await this.dataSource.query(
      `update ${this.tables.tracker} set
         attempts = attempts + 1, lease_until = null,
         due_at = case when lease_until is null then least(due_at, clock_timestamp() + $2 * interval '1 ms')
                       else clock_timestamp() + $2 * interval '1 ms' end
       where job_id = $1 and stage = 'following'`,
      [id, delayMs],
    );
  }
}
