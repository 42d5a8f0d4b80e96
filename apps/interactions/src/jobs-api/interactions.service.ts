import { Injectable, type OnModuleInit } from '@nestjs/common';
import { ServiceError } from '@tradewind/shared-types';
import { AppEvents } from '../events.js';
import { toUsd } from '../micro-usd.js';
import { JobsStore, type JobFilter } from '../tracker/jobs.store.js';
import type { Job } from '../tracker/tracker.types.js';
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

  /** @param scope the one company whose jobs the caller may see; undefined: all */
  async get(id: string, scope: string | undefined): Promise<InteractionDto> {
    const job = idPattern.test(id) ? await this.store.findByRunOrJobId(id) : undefined;
    if (!job || (scope !== undefined && job.userCompanyId !== scope))
      throw new ServiceError({ code: 'request.not_found', status: 404, message: 'No job has this run' });
    return toInteraction(job);
  }
}

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
