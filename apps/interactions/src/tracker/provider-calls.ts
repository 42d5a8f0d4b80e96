// The calls to the provider, in the timelines of their jobs.
import { Injectable } from '@nestjs/common';
import { AppEvents } from '../events.js';
import { TimelineNotes } from './timeline-notes.js';
import type { Job } from './tracker.types.js';

export interface ProviderCall {
  operation: 'start' | 'list' | 'look' | 'abort' | 'items' | 'cost';
  outcome: string;
  /** The run that the call was about, unless it is that of the job. */
  runId?: string | undefined;
  /** By `performance.now()`. */
  startedMs: number;
}

/** Each of these is an entry of its own. Others that repeat with the same outcome are one entry with a count. */
const changing: readonly ProviderCall['operation'][] = ['start', 'abort'];

@Injectable()
export class ProviderCalls {
  constructor(
    private readonly notes: TimelineNotes,
    private readonly events: AppEvents,
  ) {}

  /** Resolves once the entry is written, or kept while the database is away. Never rejects. */
  async note(
    { id, providerRunId }: Pick<Job, 'id' | 'providerRunId'>,
    { startedMs, runId, ...call }: ProviderCall,
  ): Promise<void> {
    const ms = Math.round(performance.now() - startedMs);
    const about = runId ?? providerRunId ?? undefined;
    this.events.emit('provider_call', { ...call, job_id: id, run_id: about });
    await this.notes.add({
      ...{ jobId: id, at: new Date(), kind: 'provider_call', mayRepeat: !changing.includes(call.operation) },
      details: { ...call, run_id: about, ms },
    });
  }
}
