// The calls to the provider, in the timelines of their jobs. They are collected in memory and written together, so no
// call waits for it. A kill loses those of the last half second; the transitions that they led to are there.
import { Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { BackgroundWork } from '@tradewind/service-kit';
import { AppEvents } from '../events.js';
import type { Job } from './tracker.types.js';
import { TimelineStore, type NewTimelineEntry } from './timeline.store.js';

const intervalMs = 500;
/** While the database is away, the latest are kept: some 10 MB. */
const waitingMax = 20_000;

export interface ProviderCall {
  operation: 'start' | 'list' | 'look' | 'abort' | 'items' | 'cost';
  outcome: string;
  /** The run that the call was about, unless it is that of the job. */
  runId?: string | undefined;
  /** By `performance.now()`. */
  startedMs: number;
}

@Injectable()
export class ProviderCalls implements BeforeApplicationShutdown {
  private waiting: NewTimelineEntry[] = [];

  constructor(
    private readonly store: TimelineStore,
    private readonly events: AppEvents,
    background: BackgroundWork,
  ) {
    background.every({ name: 'timeline of provider calls', intervalMs, run: () => this.flush() });
  }

  note({ id, providerRunId }: Pick<Job, 'id' | 'providerRunId'>, { startedMs, runId, ...call }: ProviderCall): void {
    const ms = Math.round(performance.now() - startedMs);
    const about = runId ?? providerRunId ?? undefined;
    this.events.emit('provider_call', { ...call, job_id: id, run_id: about });
    this.add({ jobId: id, at: new Date(), kind: 'provider_call', details: { ...call, run_id: about, ms } });
  }

  async flush(): Promise<void> {
    const { waiting } = this;
    if (waiting.length === 0) return;
    this.waiting = [];
    try {
      await this.store.add(waiting);
    } catch (error) {
      this.waiting = [...waiting, ...this.waiting].slice(-waitingMax);
      throw error;
    }
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.flush();
  }

  private add(entry: NewTimelineEntry): void {
    this.waiting.push(entry);
    if (this.waiting.length > waitingMax) this.waiting.shift();
  }
}
