import { EventEmitter } from 'node:events';
import { Injectable } from '@nestjs/common';
import type { JobId } from './tracker.types.js';

/** Far more than the targets of all requests that one process answers at once. An entry is about 100 bytes. */
const rememberedRunsMax = 10_000;

/**
 * Tells waiting answers of this process that some job has moved on. Only a hint that shortens waits: jobs moved by
 * another replica are seen by looking again, so nothing depends on it.
 */
@Injectable()
export class JobChanges {
  private readonly emitter = new EventEmitter().setMaxListeners(0);
  /** Runs that this process started, the latest ones: what an answer can say while the tracker cannot be read. */
  private readonly runs = new Map<JobId, string>();

  /** The provider has told the run of a job, which may not be recorded yet. */
  announceRun(jobId: JobId, runId: string): void {
    this.runs.set(jobId, runId);
    const [oldest] = this.runs.keys();
    if (this.runs.size > rememberedRunsMax && oldest !== undefined) this.runs.delete(oldest);
    this.announce();
  }

  /** The job does not need this run, so that no answer must name it. */
  forgetRun(jobId: JobId): void {
    this.runs.delete(jobId);
  }

  /** The run that this process started for the job; undefined when it started none lately. */
  runOf(jobId: JobId): string | undefined {
    return this.runs.get(jobId);
  }

  announce(): void {
    this.emitter.emit('change');
  }

  /** Resolves at the next announcement or after the time given. */
  next(timeoutMs: number): Promise<void> {
    return new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer);
        this.emitter.off('change', end);
        resolve();
      };
      const timer = setTimeout(end, Math.max(0, timeoutMs));
      this.emitter.once('change', end);
    });
  }
}
