import { Injectable } from '@nestjs/common';
import { Db, type Tx } from '@tradewind/service-kit';

export interface SelectedPerson {
  personId: string;
  networkUsername: string;
}

/** All SQL of the scratch table selected_person, and the numbering of batches from it. */
@Injectable()
export class SelectionStore {
  constructor(private readonly db: Db) {}

  /** A selection starts empty, since an earlier process may have left an incomplete one. */
  async clear(): Promise<void> {
    await this.db.rows('truncate selected_person');
  }

  /** @param position place of the first of these in the order of reading */
  async stage(runId: string, position: number, people: readonly SelectedPerson[]): Promise<void> {
    await this.db.affected(
      `insert into selected_person(run_id, position, person_id, network_username)
       select $1, $2 + p.n, p.person_id, p.network_username
       from unnest($3::uuid[], $4::text[]) with ordinality as p(person_id, network_username, n)`,
      [runId, position, people.map(({ personId }) => personId), people.map(({ networkUsername }) => networkUsername)],
    );
  }

  async countDistinct(runId: string): Promise<number> {
    const [row] = await this.db.rows<{ n: number }>(
      'select count(distinct network_username)::int as n from selected_person where run_id = $1',
      [runId],
    );
    return row!.n;
  }

  /**
   * Keeps the first person of each handle in the order of reading, and leaves out what earlier runs of the month have
   * published. Numbers the rest into batches in that order. A forced run leaves out nothing. What it publishes again is
   * marked in the batches of the earlier runs, so that a month counts every profile once. The database does all of it,
   * so this process needs no memory for a million people. The text of a message is built here and never changed.
   */
  async numberBatches(
    tx: Tx,
    options: {
      runId: string;
      month: string;
      batchProfiles: number;
      limit: number | null;
      isForced: boolean;
      dropsBatches: boolean;
    },
  ): Promise<{ staged: number; distinct: number; publishedBefore: number; selected: number; totalBatches: number }> {
    const { runId, month, batchProfiles, limit, isForced, dropsBatches } = options;
    await tx.affected('delete from run_batch where run_id = $1', [runId]);
    await tx.rows(
      `create temporary table chosen on commit drop as
       select distinct on (network_username) network_username, person_id, position
       from selected_person where run_id = $1 order by network_username, position`,
      [runId],
    );
    const [before] = await tx.rows<{ staged: number; chosen: number }>(
      `select (select count(*) from selected_person where run_id = $1)::int as staged, (select count(*) from chosen)::int as chosen`,
      [runId],
    );
    const publishedBefore = isForced ? 0 : await this.dropPublished(tx, month, runId);
    if (limit !== null) {
      await tx.affected(
        'delete from chosen where position not in (select position from chosen order by position limit $1)',
        [limit],
      );
    }
    await tx.affected(
      `insert into run_batch(run_id, batch_number, profiles, message)
       select $1, batch_number, count(*),
         '{"profiles":[' || string_agg('{"network_username":' || to_json(network_username)::text || ',"person_id":"' || person_id || '"}', ','
           order by rank) || ']}'
       from (
         select *, ((rank - 1) / $2)::int + 1 as batch_number
         from (select *, row_number() over (order by position) as rank from chosen) ranked) numbered
       group by batch_number`,
      [runId, batchProfiles],
    );
    const [after] = await tx.rows<{ batches: number; profiles: number }>(
      'select count(*)::int as batches, coalesce(sum(profiles), 0)::int as profiles from run_batch where run_id = $1',
      [runId],
    );
    if (isForced && !dropsBatches) await this.supersede(tx, month, runId);
    if (dropsBatches) await tx.affected('delete from run_batch where run_id = $1', [runId]);
    return {
      staged: before!.staged,
      distinct: before!.chosen,
      publishedBefore,
      selected: after!.profiles,
      totalBatches: after!.batches,
    };
  }

  /** Marks what this run publishes again in the batches of the month's earlier runs. */
  private async supersede(tx: Tx, month: string, runId: string): Promise<void> {
    await tx.affected(
      `update run_batch b set superseded = array(select distinct unnest(b.superseded || found.names))
       from (
         select run_id, batch_number, array_agg(profile ->> 'network_username') as names
         from run join run_batch using (run_id), json_array_elements(message::json -> 'profiles') as profile
         where month = $1 and run_id <> $2 and not dry_run
           and profile ->> 'network_username' in (select network_username from chosen)
         group by 1, 2) found
       where b.run_id = found.run_id and b.batch_number = found.batch_number`,
      [month, runId],
    );
  }

  private async dropPublished(tx: Tx, month: string, runId: string): Promise<number> {
    return tx.affected(
      `delete from chosen where network_username in (
         select profile ->> 'network_username'
         from run join run_batch using (run_id), json_array_elements(message::json -> 'profiles') as profile
         where run.month = $1 and run.run_id <> $2 and not run.dry_run)`,
      [month, runId],
    );
  }
}
