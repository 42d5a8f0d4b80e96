import { Injectable } from '@nestjs/common';
import type { Month, ProfileBatchMessage } from '@tradewind/shared-types';
import { DataSource, type EntityManager } from 'typeorm';
import type { ReportedBatch, Run, RunBatch, RunOptions, RunState, SelectionCounts } from './run.types.js';

interface RunRow {
  run_id: string;
  month: Month;
  state: RunState;
  forced: boolean;
  dry_run: boolean;
  profile_limit: number | null;
  selected: number;
  people_read: number;
  without_username: number;
  unusable_usernames: number;
  duplicates: number;
  published_before: number;
  total_batches: number;
  published_batches: number;
  published_profiles: number;
  last_error: string | null;
  triggered_by: string | null;
  created_at: Date;
  finished_at: Date | null;
}

/** All SQL of the tables run and run_batch. */
@Injectable()
export class RunsStore {
  constructor(private readonly db: DataSource) {}

  async insert(options: RunOptions, holder: string): Promise<Run> {
    const [row] = await this.db.query<RunRow[]>(
      `insert into run(month, state, forced, dry_run, profile_limit, holder, triggered_by)
       values ($1, 'selecting', $2, $3, $4, $5, $6) returning *`,
      [options.month, options.force, options.dryRun, options.limit ?? null, holder, options.triggeredBy],
    );
    return toRun(row!);
  }

  /** Records who asked for a retry; priority-api records under the same plan what it started. */
  async insertRetry(retry: { planId: string; month: Month; requestedBy: string | null }): Promise<void> {
    await this.db.query('insert into retry_request(plan_id, month, requested_by) values ($1, $2, $3)', [
      retry.planId,
      retry.month,
      retry.requestedBy,
    ]);
  }

  async find(runId: string): Promise<Run | undefined> {
    const [row] = await this.db.query<RunRow[]>('select * from run where run_id = $1', [runId]);
    return row && toRun(row);
  }

  async findUnfinished(): Promise<Run | undefined> {
    const [row] = await this.db.query<RunRow[]>(`select * from run where state <> 'completed'`);
    return row && toRun(row);
  }

  /** The latest run that has published the whole month, if one has. */
  async findWholeMonth(month: Month): Promise<Run | undefined> {
    const [row] = await this.db.query<RunRow[]>(
      `select * from run where month = $1 and state = 'completed' and not dry_run and profile_limit is null
       order by created_at desc limit 1`,
      [month],
    );
    return row && toRun(row);
  }

  /** Whether it is still known what this month has published: batches of months kept no longer are gone. */
  async isRemembered(month: Month): Promise<boolean> {
    const [row] = await this.db.query<unknown[]>(
      `select from run where month = $1 and not dry_run
         and total_batches > (select count(*) from run_batch where run_batch.run_id = run.run_id) limit 1`,
      [month],
    );
    return row === undefined;
  }

  /** Latest first. */
  async list(limit: number): Promise<Run[]> {
    const rows = await this.db.query<RunRow[]>('select * from run order by created_at desc limit $1', [limit]);
    return rows.map(toRun);
  }

  /** Runs whose batches make up the month, oldest first. */
  async listOfMonth(month: Month): Promise<Run[]> {
    const rows = await this.db.query<RunRow[]>(
      'select * from run where month = $1 and not dry_run order by created_at',
      [month],
    );
    return rows.map(toRun);
  }

  async takeOver(runId: string, holder: string): Promise<Run> {
    const [[row]] = await this.db.query<[RunRow[], number]>(
      'update run set holder = $2, last_error = null where run_id = $1 returning *',
      [runId, holder],
    );
    return toRun(row!);
  }

  async recordError(runId: string, holder: string, error: string): Promise<void> {
    await this.db.query('update run set last_error = $3 where run_id = $1 and holder = $2', [
      runId,
      holder,
      error.slice(0, 1000),
    ]);
  }

  /** Ends the selection. A dry run is completed by it. False: another process holds the run. */
  async recordSelection(
    tx: EntityManager,
    run: {
      runId: string;
      holder: string;
      counts: SelectionCounts;
      duplicates: number;
      publishedBefore: number;
      selected: number;
      totalBatches: number;
    },
  ): Promise<boolean> {
    const { counts } = run;
    const [, updated] = await tx.query<[unknown[], number]>(
      `update run set state = case when dry_run or $9 = 0 then 'completed' else 'publishing' end,
         finished_at = case when dry_run or $9 = 0 then clock_timestamp() end, selected_at = clock_timestamp(),
         people_read = $3, without_username = $4, unusable_usernames = $5, duplicates = $6, published_before = $7,
         selected = $8, total_batches = $9
       where run_id = $1 and holder = $2 and state = 'selecting'`,
      [
        run.runId,
        run.holder,
        counts.peopleRead,
        counts.withoutUsername,
        counts.unusableUsernames,
        run.duplicates,
        run.publishedBefore,
        run.selected,
        run.totalBatches,
      ],
    );
    return updated === 1;
  }

  /** Batches that are still to be published, in order. */
  async listUnpublished(runId: string, after: number, limit: number): Promise<RunBatch[]> {
    const rows = await this.db.query<{ batch_number: number; profiles: number; message: string }[]>(
      `select batch_number, profiles, message from run_batch
       where run_id = $1 and published_at is null and batch_number > $2 order by batch_number limit $3`,
      [runId, after, limit],
    );
    return rows.map((row) => ({ batchNumber: row.batch_number, profiles: row.profiles, message: row.message }));
  }

  /** Batches and counts in one statement. False: another process holds the run, and this one must stop. */
  async recordPublished(runId: string, holder: string, batchNumbers: readonly number[]): Promise<boolean> {
    const [, updated] = await this.db.query<[unknown[], number]>(
      `with marked as (
         update run_batch set published_at = now()
         where run_id = $1 and batch_number = any($3) and published_at is null
           and exists (select from run where run_id = $1 and holder = $2)
         returning profiles)
       update run set published_batches = published_batches + (select count(*) from marked),
         published_profiles = published_profiles + (select coalesce(sum(profiles), 0) from marked)
       where run_id = $1 and holder = $2`,
      [runId, holder, batchNumbers],
    );
    return updated === 1;
  }

  async complete(runId: string, holder: string): Promise<boolean> {
    const [, updated] = await this.db.query<[unknown[], number]>(
      `update run set state = 'completed', finished_at = now(), last_error = null
       where run_id = $1 and holder = $2 and published_batches = total_batches`,
      [runId, holder],
    );
    return updated === 1;
  }

  /** The batches of a run, some at a time, published or not, without the profiles that a later forced run publishes again. */
  async listBatches(runId: string, after: number, limit: number): Promise<ReportedBatch[]> {
    const rows = await this.db.query<
      { batch_number: number; message: string; is_published: boolean; superseded: string[] }[]
    >(
      `select batch_number, message, published_at is not null as is_published, superseded from run_batch
       where run_id = $1 and batch_number > $2 order by batch_number limit $3`,
      [runId, after, limit],
    );
    return rows.map((row) => {
      const superseded = new Set(row.superseded);
      // The text is our own, put together by SelectionStore.numberBatches.
      const { profiles } = JSON.parse(row.message) as ProfileBatchMessage;
      return {
        batchNumber: row.batch_number,
        isPublished: row.is_published,
        profiles: profiles.filter(({ network_username }) => !superseded.has(network_username)),
      };
    });
  }

  /** Removes batches of completed runs of earlier months. The runs stay: they are few, and tell what was published. */
  async removeBatches(tx: EntityManager, before: { month: Month; start: Date }, limit: number): Promise<number> {
    const [, removed] = await tx.query<[unknown[], number]>(
      `delete from run_batch where (run_id, batch_number) in (
         select run_id, batch_number from run join run_batch using (run_id)
         where month < $1 and created_at < $2 and state = 'completed' limit $3)`,
      [before.month, before.start, limit],
    );
    return removed;
  }
}

function toRun(row: RunRow): Run {
  return {
    runId: row.run_id,
    month: row.month,
    state: row.state,
    forced: row.forced,
    dryRun: row.dry_run,
    limit: row.profile_limit ?? undefined,
    selected: row.selected,
    peopleRead: row.people_read,
    withoutUsername: row.without_username,
    unusableUsernames: row.unusable_usernames,
    duplicates: row.duplicates,
    publishedBefore: row.published_before,
    totalBatches: row.total_batches,
    publishedBatches: row.published_batches,
    publishedProfiles: row.published_profiles,
    lastError: row.last_error ?? undefined,
    triggeredBy: row.triggered_by,
    createdAt: row.created_at,
    finishedAt: row.finished_at ?? undefined,
  };
}
