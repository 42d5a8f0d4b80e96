import { EventEmitter, once } from 'node:events';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { JobId } from './tracker.types.js';

/** Far more than all targets that one process answers for at once. An entry is about 100 bytes. */
const rememberedRunsMax = 10_000;

/**
 * Wakes the answers of this process that wait for a job to move on. Only a hint that shortens waits: nothing depends on
 * it, because jobs moved by another replica are found by looking again.
 */
@Injectable()
export class JobChanges {
  private readonly emitter = new EventEmitter().setMaxListeners(0);
  /** The latest runs that this process started: what an answer can say while the tracker cannot be read. */
  private readonly runs = new LRUCache<JobId, string>({ max: rememberedRunsMax });

  /** The provider has started the run of a job, which may not be recorded yet. */
  announceRun(jobId: JobId, runId: string): void {
    this.runs.set(jobId, runId);
    this.announce();
  }

  /** The job does not need this run, so no answer may name it. */
  forgetRun(jobId: JobId): void {
    this.runs.delete(jobId);
  }

  /** The run that this process started for the job; undefined when it started none recently. */
  runOf(jobId: JobId): string | undefined {
    return this.runs.get(jobId);
  }

  announce(): void {
    this.emitter.emit('change');
  }

  /** Resolves at the next announcement or after the time given. */
  async next(timeoutMs: number): Promise<void> {
    const signal = AbortSignal.timeout(Math.ceil(Math.max(0, timeoutMs)));
    await once(this.emitter, 'change', { signal }).catch(() => undefined);
  }
}
