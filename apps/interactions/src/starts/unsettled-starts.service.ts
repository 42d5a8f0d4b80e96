import { Injectable } from '@nestjs/common';
import { lookAgainMs, RunProvider, type ProviderRun } from '@tradewind/scraping-provider';
import { BackgroundWork } from '@tradewind/service-kit';
import { LRUCache } from 'lru-cache';
import { AppConfig } from '../app.config.js';
import { AppEvents } from '../events.js';
import { JobChanges } from '../tracker/job-changes.js';
import { ProviderCalls } from '../tracker/provider-calls.js';
import { JobsStore } from '../tracker/jobs.store.js';
import type { Job } from '../tracker/tracker.types.js';
import { TransitionsStore } from '../tracker/transitions.store.js';
import { OrphanRuns } from './orphan-runs.js';
import { ProviderPauseStore } from './provider-pause.store.js';
import { StartsService } from './starts.service.js';

/** Jobs that one reading of the provider's list looks for. */
const jobsPerPass = 200;
/** Runs are listed from this much before the call, because the provider's clock may differ. */
const listSlackMs = 5 * 60_000;
/** Runs whose correlation id is remembered, so that each input is read once. An entry is about 100 bytes. */
const rememberedRunsMax = 20_000;

/**
 * Settles starts whose outcome is unknown: an answer that was lost, an error of the provider, or a replica that died in
 * between. It reads the provider's list of runs. The job gets its run from there or, once absence is proof, goes back
 * into the queue.
 */
@Injectable()
export class UnsettledStarts {
  private readonly correlationIds = new LRUCache<string, { id: string | undefined }>({ max: rememberedRunsMax });

  constructor(
    private readonly transitions: TransitionsStore,
    private readonly jobs: JobsStore,
    private readonly pause: ProviderPauseStore,
    private readonly starts: StartsService,
    private readonly provider: RunProvider,
    private readonly orphanRuns: OrphanRuns,
    private readonly changes: JobChanges,
    private readonly calls: ProviderCalls,
    private readonly events: AppEvents,
    private readonly config: AppConfig,
    background: BackgroundWork,
  ) {
    background.every({
      name: 'unsettled starts',
      intervalMs: config.LOOP_INTERVAL_MS,
      run: () => this.settleDue(),
    });
  }

  private async settleDue(): Promise<boolean> {
    const leaseMs = this.config.LEASE_SECONDS * 1000;
    const jobs = await this.transitions.claim('claimUnsettled', { limit: jobsPerPass, leaseMs });
    if (jobs.length === 0) return false;
    // Asked before the list is read: a run that appears during the reading must not count as absent.
    const settled = await this.transitions.listSettled(jobs.map(({ id }) => id));
    const runs = await this.readList(jobs);
    for (const job of jobs) {
      const run = runs.get(job.id);
      if (run) await this.adopt(job, run);
      else if (settled.has(job.id)) await this.starts.retryAbsent(job);
      else await this.transitions.postpone(job, { delayMs: lookAgainMs(job.attempts), hasFailed: true });
    }
    this.changes.announce();
    this.starts.wake();
    return jobs.length === jobsPerPass;
  }

  private async adopt(job: Job, run: ProviderRun): Promise<void> {
    const result = await this.transitions.recordRun(job.id, run, 0);
    if (result === 'orphan') await this.orphanRuns.abort(run.id, job.id);
    if (result === 'recorded') this.events.emit('run_adopted', { job_id: job.id, run_id: run.id });
    // Last, because the database may be away by now.
    await this.pause.noteStart();
  }

  private async readList(jobs: readonly Job[]): Promise<Map<string, ProviderRun>> {
    const startedMs = performance.now();
    const note = (outcomeOf: (job: Job) => string) =>
      Promise.all(jobs.map((job) => this.calls.note(job, { operation: 'list', outcome: outcomeOf(job), startedMs })));
    try {
      const runs = await this.findRuns(jobs);
      await note(({ id }) => (runs.has(id) ? 'found' : 'missing'));
      return runs;
    } catch (error) {
      await note(() => 'failed');
      throw error;
    }
  }

  /** Runs of these jobs by job id: runs at the provider that no job has yet, matched by the id in their input. */
  private async findRuns(jobs: readonly Job[]): Promise<Map<string, ProviderRun>> {
    const wanted = new Set<string>(jobs.map((job) => job.id));
    const calledAt = Math.min(...jobs.map((job) => job.startCalledAt?.getTime() ?? Date.now()));
    const found = new Map<string, ProviderRun>();
    for await (const batch of inBatches(this.provider.listRunsSince(new Date(calledAt - listSlackMs)), 100)) {
      const known = await this.jobs.listByRun(batch.map((run) => run.id));
      for (const run of batch) {
        if (known.has(run.id)) continue;
        const correlationId = await this.correlationIdOf(run);
        // The oldest run wins; the list is in that order.
        if (correlationId !== undefined && wanted.has(correlationId) && !found.has(correlationId))
          found.set(correlationId, run);
      }
    }
    return found;
  }

  private async correlationIdOf(run: ProviderRun): Promise<string | undefined> {
    const known = this.correlationIds.get(run.id);
    if (known) return known.id;
    const id = (await this.provider.readRunInput(run))?.correlationId;
    this.correlationIds.set(run.id, { id });
    return id;
  }
}

async function* inBatches<T>(items: AsyncIterable<T>, size: number): AsyncGenerator<T[]> {
  let batch: T[] = [];
  for await (const item of items) {
    batch.push(item);
    if (batch.length < size) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
