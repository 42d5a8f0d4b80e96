import { Injectable } from '@nestjs/common';
import { isDatabaseUnavailable } from '@tradewind/service-kit';
import { JobChanges } from './job-changes.js';
import { JobsStore } from './jobs.store.js';
import type { Job, JobId } from './tracker.types.js';

/** How long at most until jobs moved by another replica are seen. */
const lookIntervalMs = 400;
/** How long at least between two looks: a hundred jobs that move one by one cost ten looks a second, not a hundred. */
const lookPauseMs = 100;
/** The first look comes sooner: most requests have few targets and are answered by then. */
const firstPauseMs = 10;

/** Lets an answer wait until its jobs have started. */
@Injectable()
export class JobWaits {
  constructor(
    private readonly store: JobsStore,
    private readonly changes: JobChanges,
  ) {}

  /**
   * Waits until all jobs have a run or have ended, or the time is up. Answers those that do. While the database is away
   * the wait goes on: the jobs are recorded, and can still be started. It ends early when `JobChanges` knows the runs
   * of all that are missing.
   */
  async untilStarted(ids: readonly JobId[], budgetMs: number): Promise<Map<JobId, Job>> {
    const started = new Map<JobId, Job>();
    const deadline = performance.now() + budgetMs;
    let open = [...ids];
    for (let look = 0; open.length > 0; look++) {
      const found = await this.look(open);
      for (const job of found ?? []) started.set(job.id, job);
      open = open.filter((id) => !started.has(id));
      if (!found && open.every((id) => this.changes.runOf(id) !== undefined)) break;
      const leftMs = deadline - performance.now();
      if (open.length === 0 || leftMs <= 0) break;
      const pauseMs = look < 5 ? firstPauseMs : lookPauseMs;
      const pause = new Promise((resolve) => setTimeout(resolve, Math.min(pauseMs, leftMs)));
      await this.changes.next(Math.min(lookIntervalMs, leftMs));
      await pause;
    }
    return started;
  }

  /** Undefined while the database is away. */
  private async look(ids: readonly JobId[]): Promise<Job[] | undefined> {
    try {
      return await this.store.listStarted(ids);
    } catch (error) {
      if (isDatabaseUnavailable(error)) return undefined;
      throw error;
    }
  }
}
