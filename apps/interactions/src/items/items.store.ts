import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { AppConfig } from '../app.config.js';
import { trackerTables, type TrackerTables } from '../tracker/tracker-tables.js';
import { jobColumns, rows, toJob, type JobRow } from '../tracker/tracker-rows.js';
import type { Job, JobId } from '../tracker/tracker.types.js';
import type { LeftOver } from './item-rows.js';

export interface ItemCounts {
  posts: number;
  reactions: number;
  comments: number;
}

/** Progress of storing a run's items. The lease has an owner: whoever lost it can no longer write progress. */
@Injectable()
export class ItemsStore {
  private readonly tables: TrackerTables;

  constructor(
    private readonly dataSource: DataSource,
    config: AppConfig,
  ) {
    this.tables = trackerTables(config.ENVIRONMENT);
  }

  async claimDue(options: { limit: number; leaseMs: number; owner: string }): Promise<Job[]> {
    const claimed = await rows<JobRow>(
      this.dataSource,
      `with next as materialized (
         select job_id as id from ${this.tables.tracker}
         where stage = 'storing' and due_at <= clock_timestamp()
           and (lease_until is null or lease_until < clock_timestamp())
         order by due_at limit $1 for update skip locked
       )
       update ${this.tables.tracker} set lease_owner = $3, lease_until = clock_timestamp() + $2 * interval '1 ms'
       from next where job_id = next.id
       returning ${jobColumns}`,
      [options.limit, options.leaseMs, options.owner],
    );
    return claimed.map(toJob);
  }

  /** Items up to here are in the warehouse. False when another replica has taken the job over. */
  async recordProgress(id: JobId, owner: string, itemsRead: number, leaseMs: number): Promise<boolean> {
    const kept = await rows(
      this.dataSource,
      `update ${this.tables.tracker} set items_read = $3, attempts = 0, lease_until = clock_timestamp() + $4 * interval '1 ms'
       where job_id = $1 and stage = 'storing' and lease_owner = $2 returning job_id`,
      [id, owner, itemsRead, leaseMs],
    );
    return kept.length > 0;
  }

  /** Keeps items that fit no table; a repeat changes nothing. */
  async keepLeftOvers(runId: string, leftOvers: readonly LeftOver[]): Promise<void> {
    if (leftOvers.length === 0) return;
    const proposals = leftOvers.map(({ position, reason, raw }) => ({
      position,
      reason,
      raw: JSON.stringify(raw) ?? 'null',
    }));
    await this.dataSource.query(
      `insert into ${this.tables.leftOverItems} (provider_run_id, position, reason, raw)
       select $1, position, reason, raw::json
       from jsonb_to_recordset($2::jsonb) as t(position text, reason text, raw text)
       on conflict do nothing`,
      [runId, JSON.stringify(proposals)],
    );
  }

  /**
   * The one statement that makes a job COMPLETED: state, counts and date together, and only by the replica that stored
   * the items. True when it did.
   */
  async complete(id: JobId, owner: string, counts: ItemCounts): Promise<boolean> {
    const completed = await rows(
      this.dataSource,
      `update ${this.tables.tracker} as tracker set
         status = 'COMPLETED', stage = 'done', completed_date = clock_timestamp(), lease_until = null,
         posts_count = $3, reactions_count = $4, comments_count = $5,
         left_over_count = (select count(*) from ${this.tables.leftOverItems} as left_over
                            where left_over.provider_run_id = tracker.provider_run_id)
       where job_id = $1 and lease_owner = $2 and stage = 'storing' and status in ('PENDING', 'RUNNING')
       returning job_id`,
      [id, owner, counts.posts, counts.reactions, counts.comments],
    );
    return completed.length > 0;
  }

  /** Storing did not succeed, or has to stop: somebody goes on from the last progress later. */
  async release(id: JobId, owner: string, options: { delayMs: number; hasFailed: boolean }): Promise<void> {
    await this.dataSource.query(
      `update ${this.tables.tracker} set
         lease_until = null, attempts = attempts + $4::int, due_at = clock_timestamp() + $3 * interval '1 ms'
       where job_id = $1 and stage = 'storing' and lease_owner = $2`,
      [id, owner, options.delayMs, options.hasFailed ? 1 : 0],
    );
  }
}
