import { Injectable } from '@nestjs/common';
import { RunProvider } from '@tradewind/scraping-provider';
import { Logger } from '@tradewind/service-kit';
import { AppEvents } from '../events.js';

/**
 * Ends runs that no job needs: a start that was believed lost after all, for a job that has another run or has ended.
 * Expected never to happen; when it does, it costs the least when the run is aborted at once.
 */
@Injectable()
export class SurplusRuns {
  constructor(
    private readonly provider: RunProvider,
    private readonly events: AppEvents,
    private readonly logger: Logger,
  ) {}

  async abort(runId: string, jobId: string): Promise<void> {
    this.events.emit('run_surplus', { run_id: runId, job_id: jobId });
    try {
      await this.provider.abortRun(runId);
    } catch (error) {
      // The event above is an error for the operator, who has the run's id; the job itself is not concerned.
      this.logger.error({ err: error, run_id: runId }, 'a surplus run could not be aborted');
    }
  }
}
