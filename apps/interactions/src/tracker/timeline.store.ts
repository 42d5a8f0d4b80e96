import { Injectable } from '@nestjs/common';
import { Db, storableJson, type Queries } from '@tradewind/service-kit';
import { AppConfig } from '../app.config.js';
import { trackerTables } from './tracker-tables.js';

/** `transition` and `webhook` are written by triggers of the tracker and the inbox (migration 0004). */
export type TimelineKind = 'transition' | 'provider_call' | 'webhook';

export interface TimelineEntry {
  id: string;
  at: Date;
  /** Of the last repeat; `at` when there was none. */
  lastAt: Date;
  times: number;
  kind: TimelineKind;
  /** Of the last repeat. */
  details: Record<string, unknown>;
}

export interface NewTimelineEntry extends Pick<TimelineEntry, 'at' | 'kind' | 'details'> {
  jobId: string;
  /** Whether it is counted in the latest entry of the job, when that one has the same details but for `ms`. */
  mayRepeat?: boolean;
}

/** What happened to each job. Rows go with their job; only repeats change one. */
@Injectable()
export class TimelineStore {
  private readonly table: string;

  constructor(
    private readonly db: Db,
    config: AppConfig,
  ) {
    this.table = trackerTables(config.ENVIRONMENT).timeline;
  }

  /**
   * Adds entries of one or more jobs, in their order. Two that are written at the same moment may both be added, since
   * no lock is worth a count. `entry_id` of the latest entry of a job comes from the index `timeline_of_job`.
   */
  async add(entries: readonly NewTimelineEntry[], on: Queries = this.db): Promise<void> {
    const groups = withoutRepeats(entries);
    await on.affected(
      `with given as (
         select * from unnest($1::uuid[], $2::timestamptz[], $3::timestamptz[], $4::int[], $5::text[], $6::jsonb[], $7::bool[])
           with ordinality as given(job_id, at, last_at, times, kind, details, may_repeat, place)
       ), repeated as (
         update ${this.table} as entry
         set times = entry.times + given.times, last_at = coalesce(given.last_at, given.at), details = given.details
         from given
         where given.may_repeat and entry.kind = given.kind and entry.details - 'ms' = given.details - 'ms'
           and entry.entry_id = (select entry_id from ${this.table} as latest where latest.job_id = given.job_id
                                 order by entry_id desc limit 1)
         returning given.place
       )
       insert into ${this.table} (job_id, at, last_at, times, kind, details)
       select job_id, at, last_at, times, kind, details from given
       where place not in (select place from repeated) order by place`,
      [
        groups.map(({ jobId }) => jobId),
        groups.map(({ at }) => at),
        groups.map(({ lastAt }) => lastAt),
        groups.map(({ times }) => times),
        groups.map(({ kind }) => kind),
        groups.map(({ details }) => storableJson(details)),
        groups.map(({ mayRepeat }) => mayRepeat),
      ],
    );
  }

  /** Of one job, in the order in which they were written; calls may be written late while the database is away. */
  async list(jobId: string, { after, limit }: { after?: string | undefined; limit: number }): Promise<TimelineEntry[]> {
    return this.db.rows<TimelineEntry>(
      `select entry_id::text as id, at, coalesce(last_at, at) as "lastAt", times, kind, details from ${this.table}
       where job_id = $1 and entry_id > $2::bigint order by entry_id limit $3`,
      [jobId, after ?? '0', limit],
    );
  }
}

interface Group extends NewTimelineEntry {
  lastAt: Date | null;
  times: number;
  mayRepeat: boolean;
}

/** Entries with their repeats counted. Only the first of a job may repeat what is stored. */
function withoutRepeats(entries: readonly NewTimelineEntry[]): Group[] {
  const groups: Group[] = [];
  const latest = new Map<string, { group: Group; key: string | undefined }>();
  for (const entry of entries) {
    const before = latest.get(entry.jobId);
    const key = entry.mayRepeat ? JSON.stringify([entry.kind, { ...entry.details, ms: undefined }]) : undefined;
    if (before && key !== undefined && before.key === key) {
      before.group.times += 1;
      before.group.lastAt = entry.at;
      before.group.details = entry.details;
      continue;
    }
    const group = { ...entry, lastAt: null, times: 1, mayRepeat: key !== undefined && !before };
    groups.push(group);
    latest.set(entry.jobId, { group, key });
  }
  return groups;
}
