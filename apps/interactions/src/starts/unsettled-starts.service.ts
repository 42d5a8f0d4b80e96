import { Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { RunProvider, type ProviderRun } from '@tradewind/scraping-provider';
import { BackgroundLoop, Logger } from '@tradewind/service-kit';
import { AppConfig } from '../app.config.js';
import { AppEvents } from '../events.js';
import { JobChanges } from '../tracker/job-changes.js';
import type { Job } from '../tracker/tracker.types.js';
import { listSlackMs } from './start-retry.js';
import { StartsService } from './starts.service.js';
import { StartsStore } from './starts.store.js';
import { SurplusRuns } from './surplus-runs.js';

/** Jobs looked for in one reading of the provider's list. */
const jobsPerPass = 200;
/** First and longest wait between two looks for a run: soon at first, since most runs are there at once. */
const lookAgainMsMin = 500;
const lookAgainMsMax = 5_000;
/** Runs whose correlation id is remembered, so that each input is read once. An entry is about 100 bytes. */
const rememberedRunsMax = 20_000;

/**
 * Finds out what became of starts whose outcome is unknown: an answer that was lost, an error of the provider, a replica
 * that died in between. The provider's list of runs is read, and the job either gets its run or, once absence is proof,
 * goes back into the queue.
 */
@Injectable()
export class UnsettledStarts implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly loop: BackgroundLoop;
  private readonly correlations = new Map<string, string | undefined>();

  constructor(
    private readonly store: StartsStore,
    private readonly starts: StartsService,
    private readonly provider: RunProvider,
    private readonly surplusRuns: SurplusRuns,
    private readonly changes: JobChanges,
    private readonly events: AppEvents,
    private readonly config: AppConfig,
    logger: Logger,
  ) {
    this.loop = new BackgroundLoop({
      name: 'unsettled starts',
      intervalMs: config.LOOP_INTERVAL_MS,
      run: () => this.settleDue(),
      logger,
    });
  }

  onApplicationBootstrap(): void {
    this.loop.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.loop.stop();
  }

  private async settleDue(): Promise<boolean> {
    const jobs = await this.store.claimUnsettled({ limit: jobsPerPass, leaseMs: this.config.LEASE_SECONDS * 1000 });
    if (jobs.length === 0) return false;
    // Asked before the list is read: a run that appears while it is read must not count as absent.
    const isSettled = new Map<string, boolean>();
    for (const job of jobs) isSettled.set(job.id, await this.store.isSettled(job.id));
    const runs = await this.readList(jobs);
    for (const job of jobs) {
      const run = runs.get(job.id);
      if (run) await this.adopt(job, run);
      else if (isSettled.get(job.id)) await this.starts.countFailure(job, 0);
      else await this.store.lookAgain(job, Math.min(lookAgainMsMin * 2 ** job.attempts, lookAgainMsMax));
    }
    this.changes.announce();
    this.starts.wake();
    return jobs.length === jobsPerPass;
  }

  private async adopt(job: Job, run: ProviderRun): Promise<void> {
    const standing = await this.store.recordRun(job.id, run, 0);
    if (standing === 'surplus') return this.surplusRuns.abort(run.id, job.id);
    if (standing === 'recorded') this.events.emit('run_adopted', { job_id: job.id, run_id: run.id });
  }

  private async readList(jobs: readonly Job[]): Promise<Map<string, ProviderRun>> {
    try {
      const runs = await this.findRuns(jobs);
      this.events.emit('provider_call', { operation: 'list', outcome: 'found' });
      return runs;
    } catch (error) {
      this.events.emit('provider_call', { operation: 'list', outcome: 'failed' });
      throw error;
    }
  }

  /** Runs of these jobs by job id: those at the provider that no job has yet, told apart by the id in their input. */
  private async findRuns(jobs: readonly Job[]): Promise<Map<string, ProviderRun>> {
    const wanted = new Set<string>(jobs.map((job) => job.id));
    const calledAt = Math.min(...jobs.map((job) => job.startCalledAt?.getTime() ?? Date.now()));
    const found = new Map<string, ProviderRun>();
    for await (const batch of inBatches(this.provider.listRunsSince(new Date(calledAt - listSlackMs)), 100)) {
      const known = await this.store.knownRuns(batch.map((run) => run.id));
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
    if (this.correlations.has(run.id)) return this.correlations.get(run.id);
    const correlationId = (await this.provider.readRunInput(run))?.correlationId;
    if (this.correlations.size >= rememberedRunsMax) this.correlations.clear();
    this.correlations.set(run.id, correlationId);
    return correlationId;
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
