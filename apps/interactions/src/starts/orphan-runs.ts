import { Injectable } from '@nestjs/common';
import { RunProvider } from '@tradewind/scraping-provider';
import { Logger } from '@tradewind/service-kit';
import { AppEvents } from '../events.js';
import { ProviderCalls } from '../tracker/provider-calls.js';
import type { JobId } from '../tracker/tracker.types.js';

/**
 * Aborts runs that no job needs: a start that was believed lost, for a job that has another run or has ended. None is
 * expected; an abort at once keeps the cost of one low.
 */
@Injectable()
export class OrphanRuns {
  constructor(
    private readonly provider: RunProvider,
    private readonly calls: ProviderCalls,
    private readonly events: AppEvents,
    private readonly logger: Logger,
  ) {}

  async abort(runId: string, jobId: JobId): Promise<void> {
    this.events.emit('run_orphaned', { run_id: runId, job_id: jobId });
    const call = { operation: 'abort' as const, runId, startedMs: performance.now() };
    const job = { id: jobId, providerRunId: null };
    try {
      const run = await this.provider.abortRun(runId);
      await this.calls.note(job, { ...call, outcome: run ? run.status : 'missing' });
    } catch (error) {
      await this.calls.note(job, { ...call, outcome: 'failed' });
      // The event above alerts the operator and names the run; the job itself is not affected.
      this.logger.error({ err: error, run_id: runId }, 'an orphan run could not be aborted');
    }
  }
}
