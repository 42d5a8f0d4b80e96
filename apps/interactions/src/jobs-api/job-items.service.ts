import { Injectable } from '@nestjs/common';
import { Warehouse, type RunItem, type RunItemPosition } from '@tradewind/cloud-ports';
import { pageOf, positionAfter, toCursor } from '@tradewind/service-kit';
import { ServiceError } from '@tradewind/shared-types';
import { tableOfKind, type ItemKind } from '../items/item-rows.js';
import { InteractionsService } from './interactions.service.js';
import type { JobItemDto, JobItemPageDto, JobItemsQueryDto } from './job-items.dto.js';

/** Without a time: such items come last. */
const noTime = 'none';
const timeMin = Date.parse('0001-01-01T00:00:00Z');
const timeMax = Date.parse('9999-12-31T23:59:59Z');

/** Reads what a job has stored. */
@Injectable()
export class JobItemsService {
  constructor(
    private readonly interactions: InteractionsService,
    private readonly warehouse: Warehouse,
  ) {}

  /**
   * One page, also while the job still stores more.
   * @param scope the one company whose jobs the caller may see; undefined: all
   * @throws ServiceError 404; 503 when the warehouse does not answer
   */
  async list(
    id: string,
    scope: string | undefined,
    { kind, limit, cursor }: JobItemsQueryDto,
  ): Promise<JobItemPageDto> {
    const { job_id: jobId, run_id: runId } = await this.interactions.get(id, scope);
    const filter = [jobId, kind];
    const after = positionAfter(cursor, filter, toPosition);
    const rows = runId === null ? [] : await this.read(kind, runId, { after, limit: limit + 1 });
    const { page, next_cursor } = pageOf(rows, limit, ({ position: { at, row_id: rowId } }) =>
      toCursor([at?.getTime() ?? noTime, rowId], filter),
    );
    return { items: page.map(({ item }) => item), next_cursor };
  }

  private async read(
    kind: ItemKind,
    runId: string,
    page: { after: RunItemPosition | undefined; limit: number },
  ): Promise<{ item: JobItemDto; position: RunItemPosition }[]> {
    try {
      switch (kind) {
        case 'post':
          return (await this.warehouse.readItemsOfRun(tableOfKind.post, runId, page)).map((row) => ({
            item: toPost(row),
            position: { at: row.posted_at, row_id: row.row_id },
          }));
        case 'comment':
          return (await this.warehouse.readItemsOfRun(tableOfKind.comment, runId, page)).map((row) => ({
            item: toComment(row),
            position: { at: row.created_at, row_id: row.row_id },
          }));
        case 'reaction':
          return (await this.warehouse.readItemsOfRun(tableOfKind.reaction, runId, page)).map((row) => ({
            item: toReaction(row),
            position: { at: null, row_id: row.row_id },
          }));
      }
    } catch (cause) {
      throw new ServiceError({
        code: 'dependency.unavailable',
        status: 503,
        message: 'The warehouse does not answer',
        retryable: true,
        retryAfterSeconds: 5,
        cause,
      });
    }
  }
}

function toPosition([time, rowId, ...rest]: unknown[]): RunItemPosition | undefined {
  if (typeof rowId !== 'string' || !/^[0-9a-f]{64}$/.test(rowId) || rest.length > 0) return undefined;
  if (time === noTime) return { at: null, row_id: rowId };
  const isTime = Number.isSafeInteger(time) && (time as number) >= timeMin && (time as number) <= timeMax;
  return isTime ? { at: new Date(time as number), row_id: rowId } : undefined;
}

const toPost = (row: RunItem<'network_posts'>): JobItemDto => ({
  ...{ id: row.post_id, post_id: row.post_id, url: row.url, text: row.content },
  ...{ author_name: row.author_name, author_url: row.author_url, author_position: null },
  at: row.posted_at?.toISOString() ?? null,
  reaction_type: null,
  ...{ likes: row.likes, comments: row.comments, shares: row.shares, is_repost: row.is_repost },
});

const toComment = (row: RunItem<'network_post_comments'>): JobItemDto => ({
  ...{ id: row.comment_id, post_id: row.post_id, url: row.url, text: row.text },
  ...{ author_name: row.author_name, author_url: row.author_url, author_position: row.author_position },
  at: row.created_at?.toISOString() ?? null,
  reaction_type: null,
  ...{ likes: null, comments: row.reply_count, shares: null, is_repost: false },
});

const toReaction = (row: RunItem<'network_post_reactions'>): JobItemDto => ({
  ...{ id: row.reaction_id, post_id: row.post_id, url: null, text: null },
  ...{ author_name: row.actor_name, author_url: row.actor_url, author_position: row.actor_position },
  at: null,
  reaction_type: row.reaction_type,
  ...{ likes: null, comments: null, shares: null, is_repost: false },
});
