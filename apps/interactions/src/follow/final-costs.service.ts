import { Injectable } from '@nestjs/common';
import { RunProvider } from '@tradewind/scraping-provider';
import { BackgroundWork } from '@tradewind/service-kit';
import { AppConfig } from '../app.config.js';
import { AppEvents } from '../events.js';
import { toMicroUsd } from '../micro-usd.js';
import { ProviderCalls } from '../tracker/provider-calls.js';
import type { Job } from '../tracker/tracker.types.js';
import { TransitionsStore } from '../tracker/transitions.store.js';

/** Most runs whose cost one replica reads at once. Nobody waits for it. */
const parallel = 2;

/**
 * Reads the cost of each run once more, some time after its end, because the provider corrects it until then. The last
 * known value counts.
 */
@Injectable()
export class FinalCosts {
  constructor(
    private readonly store: TransitionsStore,
    private readonly provider: RunProvider,
    private readonly calls: ProviderCalls,
    private readonly events: AppEvents,
    config: AppConfig,
    background: BackgroundWork,
  ) {
    background.claims({
      name: 'final costs',
      intervalMs: config.LOOP_INTERVAL_MS,
      parallel,
      claim: (room) => store.claimCosts({ limit: room, leaseMs: config.LEASE_SECONDS * 1000 }),
      work: (job) => this.settle(job),
    });
  }

  private async settle(job: Job): Promise<void> {
    // A run whose cost is due has ended, so it has an id. A failure is logged, and the next claim tries again.
    const startedMs = performance.now();
    const run = await this.provider.findRun(job.providerRunId!);
    await this.calls.note(job, { operation: 'cost', outcome: run ? 'found' : 'missing', startedMs });
    await this.store.settleCost(job.id, run?.costUsd === undefined ? undefined : toMicroUsd(run.costUsd));
    if (run?.costUsd === undefined)
      this.events.emit('run_cost_unknown', {
        job_id: job.id,
        run_id: job.providerRunId,
        user_company_id: job.userCompanyId,
      });
  }
}
