import { Injectable } from '@nestjs/common';
import { Warehouse, type WarehouseTable, type WarehouseRows } from '@tradewind/cloud-ports';
import { RunProvider, type ItemPage } from '@tradewind/scraping-provider';
import { BackgroundWork, Logger, type Work } from '@tradewind/service-kit';
import { AppConfig } from '../app.config.js';
import { AppEvents } from '../events.js';
import { ProviderCalls } from '../tracker/provider-calls.js';
import { missingLooksMax, retryAfterFailureMs } from '../tracker/run-retry.js';
import type { Job } from '../tracker/tracker.types.js';
import { TransitionsStore } from '../tracker/transitions.store.js';
import { tableOfKind, toRows, type LeftOver } from './item-rows.js';
import { LeftOversStore } from './left-overs.store.js';

/** How often progress is written and the lease renewed: a crash repeats that much work, which changes no row. */
const progressIntervalMs = 1_000;
/** With more runs at once none reads ahead: a page takes about 10 MiB, and the runs keep both stores busy. */
const readingAheadMax = 2;

/**
 * Stores the items of a run that succeeded in the warehouse. It holds two pages in memory at most: it writes one and
 * reads the next, or one while many runs are stored. A row is known by its `row_id`, so a page may be written again
 * after a crash. The job becomes COMPLETED with the number of distinct rows that the warehouse then has of the run.
 */
@Injectable()
export class ItemsService {
  private readonly loop: Work;
  private readonly leaseMs: number;
  private underWay = 0;

  constructor(
    private readonly store: TransitionsStore,
    private readonly leftOvers: LeftOversStore,
    private readonly provider: RunProvider,
    private readonly warehouse: Warehouse,
    private readonly calls: ProviderCalls,
    private readonly events: AppEvents,
    private readonly config: AppConfig,
    private readonly logger: Logger,
    background: BackgroundWork,
  ) {
    this.leaseMs = config.LEASE_SECONDS * 1000;
    this.loop = background.claims({
      name: 'store items',
      intervalMs: config.LOOP_INTERVAL_MS,
      parallel: config.STORE_PARALLEL,
      claim: (room) => store.claim('claimStoring', { limit: room, leaseMs: this.leaseMs }),
      work: (job, signal) => {
        this.underWay += 1;
        return this.storeRun(job, signal).finally(() => (this.underWay -= 1));
      },
    });
  }

  wake(): void {
    this.loop.wake();
  }

  private async storeRun(job: Job, signal: AbortSignal): Promise<void> {
    try {
      const ending = await this.storePages(job, signal);
      if (ending === 'stored') await this.complete(job);
      if (ending === 'stopped') await this.store.postpone(job, { delayMs: 0, hasFailed: false });
      if (ending === 'missing') await this.giveUpOrWait(job);
    } catch (error) {
      this.logger.warn(
        { err: error, job_id: job.id, run_id: job.providerRunId },
        'the items of a run could not be stored; this is tried again',
      );
      await this.store.postpone(job, { delayMs: retryAfterFailureMs(job.attempts), hasFailed: true });
    }
  }

  private async storePages(job: Job, signal: AbortSignal): Promise<'stored' | 'stopped' | 'missing' | 'taken'> {
    const read = (offset: number) => this.readPage(job, offset);
    let recordedAt = performance.now();
    let page = await read(job.itemsRead);
    for (;;) {
      if (!page) return 'missing';
      const end = page.offset + page.items.length;
      const isLast = page.items.length === 0 || end >= page.total;
      const ahead = !isLast && this.underWay <= readingAheadMax ? read(end) : undefined;
      // Its failure is seen when it is awaited; until then it must not count as unhandled.
      ahead?.catch(() => undefined);
      await this.storePage(job, page);
      const isStopping = signal.aborted && !isLast;
      if (isLast || isStopping || performance.now() - recordedAt > progressIntervalMs) {
        if (!(await this.store.recordProgress(job.id, end, this.leaseMs))) return 'taken';
        recordedAt = performance.now();
      }
      if (isLast) return 'stored';
      if (isStopping) return 'stopped';
      page = await (ahead ?? read(end));
    }
  }

  private async readPage(job: Job, offset: number): Promise<ItemPage | undefined> {
    const startedMs = performance.now();
    try {
      const page = await this.provider.readItems(job.datasetId!, { offset, limit: this.config.ITEM_PAGE_SIZE });
      await this.calls.note(job, { operation: 'items', outcome: page ? 'found' : 'missing', startedMs });
      return page;
    } catch (error) {
      await this.calls.note(job, { operation: 'items', outcome: 'failed', startedMs });
      throw error;
    }
  }

  private async storePage(job: Job, page: ItemPage): Promise<void> {
    const run = {
      provider_run_id: job.providerRunId!,
      user_company_id: job.userCompanyId,
      network_username: job.networkHandle,
      entity_type: job.entity,
    };
    const { rows, leftOvers } = toRows(page.items, page.offset, run, new Date());
    const refused = await Promise.all([
      this.append(tableOfKind.post, [...rows.post.values()]),
      this.append(tableOfKind.comment, [...rows.comment.values()]),
      this.append(tableOfKind.reaction, [...rows.reaction.values()]),
    ]);
    leftOvers.push(...refused.flat());
    await this.leftOvers.keep(run.provider_run_id, leftOvers);
    for (const reason of new Set(leftOvers.map((leftOver) => leftOver.reason))) {
      const count = leftOvers.filter((leftOver) => leftOver.reason === reason).length;
      this.events.emit('items_left_over', { reason, count, run_id: run.provider_run_id });
    }
  }

  /** Appends the rows. Answers those that the warehouse refuses. */
  private async append<T extends WarehouseTable>(
    table: T,
    rows: (WarehouseRows[T] & { row_id: string; raw: unknown })[],
  ): Promise<LeftOver[]> {
    if (rows.length === 0) return [];
    const { rejected } = await this.warehouse.append<T>(table, rows);
    if (rejected.length === 0) return [];
    this.logger.error(
      { table, rejected: rejected.length, reason: rejected[0]?.reason },
      'the warehouse refused rows; they are kept',
    );
    const byRowId = new Map<string, unknown>();
    for (const row of rows) byRowId.set(row.row_id, row.raw);
    return rejected.map(({ row_id }) => ({
      position: row_id,
      reason: 'refused_by_warehouse',
      raw: byRowId.get(row_id),
    }));
  }

  private async complete(job: Job): Promise<void> {
    const runId = job.providerRunId!;
    const [posts, comments, reactions] = await Promise.all([
      this.warehouse.countOfRun(tableOfKind.post, runId),
      this.warehouse.countOfRun(tableOfKind.comment, runId),
      this.warehouse.countOfRun(tableOfKind.reaction, runId),
    ]);
    if (!(await this.store.complete(job.id, { posts, comments, reactions }))) return;
    for (const [kind, count] of Object.entries({ post: posts, comment: comments, reaction: reactions })) {
      this.events.emit('items_stored', { kind, count, run_id: runId });
    }
    const seconds = (Date.now() - job.createdAt.getTime()) / 1000;
    this.events.emit('data_stored', { seconds, job_id: job.id, run_id: runId });
    this.events.emit('run_completed', { job_id: job.id, run_id: runId, posts, comments, reactions });
  }

  private async giveUpOrWait(job: Job): Promise<void> {
    if (job.attempts < missingLooksMax) {
      return this.store.postpone(job, { delayMs: retryAfterFailureMs(job.attempts), hasFailed: true });
    }
    if (await this.store.failMissingItems(job.id, 'The provider no longer has the items of this run')) {
      this.events.emit('run_failed', { reason: 'items_missing', job_id: job.id, run_id: job.providerRunId });
    }
  }
}
