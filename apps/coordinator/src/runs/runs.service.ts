import { Injectable } from '@nestjs/common';
import { BackgroundWork, errorText, Logger } from '@tradewind/service-kit';
import { monthOf, ServiceError } from '@tradewind/shared-types';
import { AppConfig } from '../app.config.js';
import { AppEvents } from '../events.js';
import { BatchPublishing } from './batch-publishing.js';
import { PeopleSelection } from './people-selection.js';
import { RunLock, type HeldRunLock } from './run-lock.js';
import type { Run } from './run.entity.js';
import type { ListedRun, MonthOfRuns, RunOptions } from './run.types.js';
import { RunStopped, runActive } from './runs.errors.js';
import { RunsStore, type RunList } from './runs.store.js';

/** Receives the progress of a run; called often. */
export interface RunProgress {
  onRead?: (people: number) => void;
  onSelected?: (run: Run) => void;
  onPublished?: (batches: number) => void;
}

export interface BegunRun {
  run: Run;
  /**
   * `already_published`: a run has published the whole month. This one publishes only those who became priority people
   * since then, which may be none.
   */
  outcome: 'started' | 'resumed' | 'already_published';
  /** Resolves with the run at its end; rejects when it is interrupted. */
  finished: Promise<Run>;
}

/** The monthly run: one at a time, idempotent by month, resumable at every point. */
@Injectable()
export class RunsService {
  constructor(
    private readonly store: RunsStore,
    private readonly lock: RunLock,
    private readonly selection: PeopleSelection,
    private readonly publishing: BatchPublishing,
    private readonly events: AppEvents,
    private readonly logger: Logger,
    private readonly background: BackgroundWork,
    config: AppConfig,
  ) {
    events.gauge('month_published', 'Whether the whole of this month has been published: 1, or 0', async () =>
      (await store.findWholeMonth(monthOf(new Date()))) ? 1 : 0,
    );
    // A serving process finishes what another one left: after a crash, a deployment or an outage of the queue.
    background.every({
      name: 'resume runs',
      intervalMs: config.RESUME_INTERVAL_MS,
      run: async () => {
        const begun = await this.resumeUnfinished();
        // The pass does not wait for the run, which may take longer than the alert on background work allows. The stop
        // of the service does. An interruption is recorded and logged below; a later pass tries again.
        begun?.finished.catch(() => undefined);
      },
    });
  }

  /**
   * Begins a run, or resumes the unfinished one of this month. Throws `run.active` (409) while another is under way.
   */
  async begin(options: RunOptions, progress: RunProgress = {}): Promise<BegunRun> {
    const lock = await this.lock.tryTake();
    if (!lock) throw runActive(await this.store.findUnfinished());
    try {
      const unfinished = await this.store.findUnfinished();
      if (unfinished) {
        if (unfinished.month !== options.month) throw runActive(unfinished);
        return await this.resume(unfinished, lock, progress, options.triggeredBy);
      }
      const whole = options.force || options.dryRun ? undefined : await this.store.findWholeMonth(options.month);
      // Without the batches it is unknown who is new, and everyone would be bought again.
      if (whole && !(await this.store.isRemembered(options.month))) {
        await lock.release();
        return { run: whole, outcome: 'already_published', finished: Promise.resolve(whole) };
      }
      const run = await this.store.insert(options, lock.holder);
      this.events.emit('run_started', {
        run_id: run.runId,
        month: run.month,
        forced: run.forced,
        dry_run: run.dryRun,
        caller: run.triggeredBy,
      });
      return { run, outcome: whole ? 'already_published' : 'started', finished: this.work(run, lock, progress) };
    } catch (error) {
      await lock.release();
      throw error;
    }
  }

  /** Resumes a run that a process left unfinished. Undefined when there is none, or another process works on it. */
  async resumeUnfinished(): Promise<BegunRun | undefined> {
    if (!(await this.store.findUnfinished())) return undefined;
    const lock = await this.lock.tryTake();
    if (!lock) return undefined;
    try {
      const unfinished = await this.store.findUnfinished();
      if (unfinished) return await this.resume(unfinished, lock, {});
    } catch (error) {
      await lock.release();
      throw error;
    }
    await lock.release();
    return undefined;
  }

  async get(runId: string): Promise<Run> {
    const run = await this.store.find(runId);
    if (!run) throw new ServiceError({ code: 'request.not_found', status: 404, message: `There is no run ${runId}` });
    return run;
  }

  /** Months that have runs, the latest first. */
  listMonths(limit: number, after?: string): Promise<MonthOfRuns[]> {
    return this.store.listMonths(limit, after);
  }

  /** Latest first. */
  list(page: RunList): Promise<ListedRun[]> {
    return this.store.list(page);
  }

  private async resume(
    unfinished: Run,
    lock: HeldRunLock,
    progress: RunProgress,
    caller: string | null = null,
  ): Promise<BegunRun> {
    const run = await this.store.takeOver(unfinished.runId, lock.holder);
    this.events.emit('run_resumed', {
      run_id: run.runId,
      month: run.month,
      state: run.state,
      caller,
      published_batches: run.publishedBatches,
    });
    return { run, outcome: 'resumed', finished: this.work(run, lock, progress) };
  }

  private work(run: Run, lock: HeldRunLock, progress: RunProgress): Promise<Run> {
    // When the service stops, the run stops between two steps and can be resumed.
    const finished = this.background.track(this.selectAndPublish(run, lock, progress));
    // Callers over HTTP do not wait for the end; the interruption is recorded and logged either way.
    finished.catch(() => undefined);
    return finished;
  }

  private async selectAndPublish(run: Run, lock: HeldRunLock, progress: RunProgress): Promise<Run> {
    const signal = this.background.stopping;
    try {
      if (run.state === 'selecting') {
        await this.selection.select(run, lock.holder, { signal, onRead: (people) => progress.onRead?.(people) });
      }
      const selected = await this.get(run.runId);
      this.events.emit('run_selected', {
        run_id: run.runId,
        selected: selected.selected,
        without_username: selected.withoutUsername,
        unusable_usernames: selected.unusableUsernames,
        duplicates: selected.duplicates,
        total_batches: selected.totalBatches,
      });
      progress.onSelected?.(selected);
      if (selected.state === 'publishing') {
        await this.publishing.publish(selected, lock.holder, {
          signal,
          onPublished: (batches) => progress.onPublished?.(batches),
        });
      }
      const completed = await this.get(run.runId);
      const seconds = (Date.now() - completed.createdAt.getTime()) / 1000;
      this.events.emit('run_completed', {
        run_id: run.runId,
        month: run.month,
        published_profiles: completed.publishedProfiles,
        seconds,
      });
      return completed;
    } catch (error) {
      await this.recordInterruption(run, lock, error);
      throw error;
    } finally {
      await lock.release();
    }
  }

  private async recordInterruption(run: Run, lock: HeldRunLock, error: unknown): Promise<void> {
    if (error instanceof RunStopped) {
      this.logger.info({ run_id: run.runId }, 'the run stops with the process and waits to be resumed');
      return;
    }
    const text = errorText(error);
    this.events.emit('run_interrupted', { run_id: run.runId, month: run.month, reason: text });
    try {
      await this.store.recordError(run.runId, lock.holder, text);
    } catch (cause) {
      this.logger.warn({ err: cause, run_id: run.runId }, 'the reason of an interruption could not be recorded');
    }
  }
}
