import { Injectable } from '@nestjs/common';
import { Db, microsOf, timeOf, type ListPosition, type Tx } from '@tradewind/service-kit';
import type { Month, ProfileBatchMessage } from '@tradewind/shared-types';
import { IsNull, Not, type Repository } from 'typeorm';
import { Run } from './run.entity.js';
import type {
  ListedRun,
  MonthOfRuns,
  ProfileSelection,
  ReportedBatch,
  RunBatch,
  RunOptions,
  SelectionCounts,
} from './run.types.js';

export interface RunList {
  /** All unless given. */
  month?: Month | undefined;
  after?: ListPosition | undefined;
  limit: number;
}

/** The tables run, run_batch and retry_request. */
@Injectable()
export class RunsStore {
  private readonly runs: Repository<Run>;

  constructor(private readonly db: Db) {
    this.runs = db.repository(Run);
  }

  async insert(options: RunOptions, holder: string): Promise<Run> {
    const { month, force: forced, dryRun, limit = null, triggeredBy } = options;
    const run = this.runs.create({ month, state: 'selecting', forced, dryRun, limit, holder, triggeredBy });
    await this.runs.insert(run);
    return this.get(run.runId);
  }

  /** Records who asked for a retry; priority-api records under the same plan what it started. */
  async insertRetry(retry: { planId: string; month: Month; requestedBy: string | null }): Promise<void> {
    await this.db.affected('insert into retry_request(plan_id, month, requested_by) values ($1, $2, $3)', [
      retry.planId,
      retry.month,
      retry.requestedBy,
    ]);
  }

  async find(runId: string): Promise<Run | undefined> {
    return (await this.runs.findOneBy({ runId })) ?? undefined;
  }

  async findUnfinished(): Promise<Run | undefined> {
    return (await this.runs.findOneBy({ state: Not('completed') })) ?? undefined;
  }

  /** The latest run that has published the whole month, if one has. */
  async findWholeMonth(month: Month): Promise<Run | undefined> {
    const run = await this.runs.findOne({
      where: { month, state: 'completed', dryRun: false, limit: IsNull() },
      order: { createdAt: 'desc' },
    });
    return run ?? undefined;
  }

  /** Whether all batches that this month has published are still stored. Retention removes those of old months. */
  async isRemembered(month: Month): Promise<boolean> {
    const rows = await this.db.rows(
      `select from run where month = $1 and not dry_run
         and total_batches > (select count(*) from run_batch where run_batch.run_id = run.run_id) limit 1`,
      [month],
    );
    return rows.length === 0;
  }

  /** Latest first, through an index in that order: run_latest, and run_month for one month. */
  async list({ month, after, limit }: RunList): Promise<ListedRun[]> {
    const query = this.runs
      .createQueryBuilder('run')
      .addSelect(microsOf('run.created_at'), 'micros')
      .orderBy('run.createdAt', 'DESC')
      .addOrderBy('run.runId', 'DESC')
      .limit(limit);
    if (month !== undefined) query.andWhere('run.month = :month', { month });
    if (after) query.andWhere(`(run.created_at, run.run_id) < (${timeOf(':micros')}, :id)`, { ...after });
    const { entities, raw } = await query.getRawAndEntities<{ micros: number }>();
    // Without joins each row is one entity.
    return entities.map((run, index) => ({ run, micros: raw[index]!.micros }));
  }

  /**
   * Months that have runs, dry runs aside, the latest first.
   * @param after the last month of the page before
   */
  async listMonths(limit: number, after?: string): Promise<MonthOfRuns[]> {
    return this.db.rows<MonthOfRuns>(
      `select month, count(*)::int as runs, sum(selected)::int as selected,
         sum(published_profiles)::int as "publishedProfiles", min(created_at) as "firstRunAt",
         max(created_at) as "lastRunAt", bool_and(state = 'completed') as "isFinished",
         coalesce(bool_or(state = 'completed' and profile_limit is null), false) as "isWhole"
       from run where not dry_run and ($2::text is null or month < $2) group by month order by month desc limit $1`,
      [limit, after ?? null],
    );
  }

  /** Runs whose batches make up the month, oldest first. */
  listOfMonth(month: Month): Promise<Run[]> {
    return this.runs.find({ where: { month, dryRun: false }, order: { createdAt: 'asc' } });
  }

  async takeOver(runId: string, holder: string): Promise<Run> {
    await this.runs.update({ runId }, { holder, lastError: null });
    return this.get(runId);
  }

  async recordError(runId: string, holder: string, error: string): Promise<void> {
    await this.runs.update({ runId, holder }, { lastError: error.slice(0, 1000) });
  }

  /** Ends the selection. A dry run is completed by it. False: another process holds the run. */
  async recordSelection(
    tx: Tx,
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
    const updated = await tx.affected(
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
    const rows = await this.db.rows<{ batch_number: number; profiles: number; message: string }>(
      `select batch_number, profiles, message from run_batch
       where run_id = $1 and published_at is null and batch_number > $2 order by batch_number limit $3`,
      [runId, after, limit],
    );
    return rows.map((row) => ({ batchNumber: row.batch_number, profiles: row.profiles, message: row.message }));
  }

  /** Batches and counts in one statement. False: another process holds the run, and this one must stop. */
  async recordPublished(runId: string, holder: string, batchNumbers: readonly number[]): Promise<boolean> {
    const updated = await this.db.affected(
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
    const updated = await this.db.affected(
      `update run set state = 'completed', finished_at = now(), last_error = null
       where run_id = $1 and holder = $2 and published_batches = total_batches`,
      [runId, holder],
    );
    return updated === 1;
  }

  /** The batches of a run, published or not, without the profiles that a later forced run publishes again. */
  async listBatches(runId: string, after: number, limit: number): Promise<ReportedBatch[]> {
    const rows = await this.db.rows<{
      batch_number: number;
      message: string;
      is_published: boolean;
      superseded: string[];
    }>(
      `select batch_number, message, published_at is not null as is_published, superseded from run_batch
       where run_id = $1 and batch_number > $2 order by batch_number limit $3`,
      [runId, after, limit],
    );
    return rows.map((row) => {
      const superseded = new Set(row.superseded);
      // SelectionStore.numberBatches built the text.
      const { profiles } = JSON.parse(row.message) as ProfileBatchMessage;
      const left = [...profiles.entries()].filter(([, { network_username }]) => !superseded.has(network_username));
      return {
        batchNumber: row.batch_number,
        isPublished: row.is_published,
        profiles: left.map(([, profile]) => profile),
        places: left.map(([place]) => place),
      };
    });
  }

  /**
   * Which runs of a month have selected a profile, oldest first. No index holds handles, so it searches the texts of
   * all batches of the month: 100 MB and 0.3 s for a million people. A handle is in them as numberBatches writes it.
   */
  async listSelections(month: Month, networkUsername: string): Promise<ProfileSelection[]> {
    return this.db.rows<ProfileSelection>(
      `select run_id as "runId", forced as "isForced", batch_number as "batchNumber", selected_at as "selectedAt",
         published_at as "publishedAt", $2 = any(superseded) as "isSuperseded"
       from run join run_batch using (run_id)
       where month = $1 and not dry_run
         and strpos(message, '{"network_username":' || to_json($2::text)::text || ',"person_id":') > 0
       order by created_at, batch_number`,
      [month, networkUsername],
    );
  }

  /** Removes batches of completed runs of earlier months. The runs stay: they are few and record what was published. */
  async removeBatches(tx: Tx, before: { month: Month; start: Date }, limit: number): Promise<number> {
    return tx.affected(
      `delete from run_batch where (run_id, batch_number) in (
         select run_id, batch_number from run join run_batch using (run_id)
         where month < $1 and created_at < $2 and state = 'completed' limit $3)`,
      [before.month, before.start, limit],
    );
  }

  private get(runId: string): Promise<Run> {
    return this.runs.findOneByOrFail({ runId });
  }
}
