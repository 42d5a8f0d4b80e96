import { Injectable, type OnModuleInit } from '@nestjs/common';
import { pageOf, positionAfter, toCursor as cursorOf } from '@tradewind/service-kit';
import { ServiceError } from '@tradewind/shared-types';
import { AppEvents } from '../events.js';
import { toUsd } from '../micro-usd.js';
import { DayTotalsStore, type ActiveTotals, type DayTotals } from '../tracker/day-totals.store.js';
import { JobsStore, type JobFilter } from '../tracker/jobs.store.js';
import { TimelineStore, type TimelineEntry } from '../tracker/timeline.store.js';
import type { Job, JobId } from '../tracker/tracker.types.js';
import type { InteractionDto, InteractionPageDto } from './interaction-answers.dto.js';
import type { ListQueryDto } from './interactions.dto.js';
import { parseCursor, toCursor } from './page-cursor.js';

/** What a run id or a job id can look like; PostgreSQL fails on a NUL instead of finding nothing. */
const idPattern = /^[\x21-\x7e]{1,200}$/;

/** Lists and finds jobs. */
@Injectable()
export class InteractionsService implements OnModuleInit {
  constructor(
    private readonly store: JobsStore,
    private readonly timelines: TimelineStore,
    private readonly totals: DayTotalsStore,
    private readonly events: AppEvents,
  ) {}

  onModuleInit(): void {
    this.events.gauge('oldest_active_run_seconds', 'Age of the oldest job that is PENDING or RUNNING, seconds', () =>
      this.store.oldestActiveAgeSeconds(),
    );
  }

  /** @param scope the one company whose jobs the caller may see; undefined: all */
  async list(query: ListQueryDto, scope: string | undefined): Promise<InteractionPageDto> {
    const wanted = query.user_company_id ?? scope;
    // Another company than the caller's own has no jobs that this caller could see.
    if (scope !== undefined && wanted !== scope) return { interactions: [], next_cursor: null };
    const filter: JobFilter = {
      ...(wanted === undefined ? {} : { userCompanyId: wanted }),
      ...(query.status === undefined ? {} : { statuses: query.status }),
      ...(query.network_handle === undefined ? {} : { networkHandle: query.network_handle }),
      ...(query.entity === undefined ? {} : { entity: query.entity }),
      ...(query.created_from === undefined ? {} : { createdFrom: new Date(query.created_from) }),
      ...(query.created_before === undefined ? {} : { createdBefore: new Date(query.created_before) }),
    };
    const after = query.cursor === undefined ? undefined : parseCursor(query.cursor, filter);
    if (query.cursor !== undefined && !after) {
      throw new ServiceError({
        code: 'request.invalid',
        status: 400,
        message: ['cursor must be the next_cursor of a page with the same filters'],
      });
    }
    // One more than asked for shows whether there is a next page.
    const jobs = await this.store.list(filter, { limit: query.limit + 1, ...(after ? { after } : {}) });
    const page = jobs.slice(0, query.limit);
    const last = page.at(-1);
    return {
      interactions: page.map(toInteraction),
      next_cursor: jobs.length > query.limit && last ? toCursor(last, filter) : null,
    };
  }

  /** Jobs whose handle begins so, in the order of handles. */
  async search(
    handleStart: string,
    filter: Pick<JobFilter, 'userCompanyId' | 'statuses'>,
    { limit, cursor }: { limit: number; cursor?: string | undefined },
  ): Promise<{ jobs: InteractionDto[]; next_cursor: string | null }> {
    const parts = [handleStart, filter.userCompanyId ?? null, filter.statuses ?? null];
    const after = positionAfter(cursor, parts, ([handle, id, ...rest]) =>
      typeof handle === 'string' && !/[\0\p{Cs}]/u.test(handle) && isJobId(id) && rest.length === 0
        ? { handle, id }
        : undefined,
    );
    const found = await this.store.search(handleStart, filter, { after, limit: limit + 1 });
    const { page, next_cursor } = pageOf(found, limit, ({ networkHandle, id }) =>
      cursorOf([networkHandle.toLowerCase(), id], parts),
    );
    return { jobs: page.map(toInteraction), next_cursor };
  }

  /** What happened to a job, oldest first. Throws 404. */
  async timeline(
    id: string,
    scope: string | undefined,
    { limit, cursor }: { limit: number; cursor?: string | undefined },
  ): Promise<{ page: TimelineEntry[]; next_cursor: string | null }> {
    const { job_id: jobId } = await this.get(id, scope);
    const after = positionAfter(cursor, jobId, ([entry, ...rest]) =>
      typeof entry === 'string' && /^\d{1,18}$/.test(entry) && rest.length === 0 ? entry : undefined,
    );
    const rows = await this.timelines.list(jobId, { after, limit: limit + 1 });
    return pageOf(rows, limit, (entry) => cursorOf([entry.id], jobId));
  }

  /** What came of the jobs of the last days, today last. */
  listDays(days: number, scope: string | undefined): Promise<DayTotals[]> {
    return this.totals.list(days, scope);
  }

  countActive(scope: string | undefined): Promise<ActiveTotals> {
    return this.totals.active(scope);
  }

  /** @param scope the one company whose jobs the caller may see; undefined: all */
  async get(id: string, scope: string | undefined): Promise<InteractionDto> {
    const job = idPattern.test(id) ? await this.store.findByRunOrJobId(id) : undefined;
    if (!job || (scope !== undefined && job.userCompanyId !== scope))
      throw new ServiceError({ code: 'request.not_found', status: 404, message: 'No job has this run' });
    return toInteraction(job);
  }
}

const isJobId = (id: unknown): id is JobId =>
  typeof id === 'string' && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id);

function toInteraction(job: Job): InteractionDto {
  return {
    job_id: job.id,
    run_id: job.providerRunId,
    network_handle: job.networkHandle,
    entity: job.entity,
    status: job.status,
    user_company_id: job.userCompanyId,
    trigger_user_id: job.triggerUserId,
    triggered_by: job.triggeredBy,
    aborted_by: job.abortedBy,
    posts_count: job.postsCount,
    reactions_count: job.reactionsCount,
    comments_count: job.commentsCount,
    left_over_count: job.leftOverCount,
    cost_usd: job.costMicroUsd === null ? null : toUsd(job.costMicroUsd),
    created_at: job.createdAt.toISOString(),
    completed_date: job.completedDate?.toISOString() ?? null,
    error: job.error,
  };
}
