import { Injectable } from '@nestjs/common';
import { ProfileProvider } from '@tradewind/scraping-provider';
import { AppConfig } from '../app.config.js';
import { AppEvents } from '../events.js';
import { askAgainMs, failedStartBackoffMs } from './start-retry.js';
import type { CallOutcome, ClaimedCall } from './profile-call.types.js';
import { ProfileCallsStore } from './profile-calls.store.js';

/** Look-ups at the provider at once. */
const passSize = 20;

/** Asks the provider what became of starts in doubt, before anything is started again. */
@Injectable()
export class DoubtReconciler {
  constructor(
    private readonly store: ProfileCallsStore,
    private readonly provider: ProfileProvider,
    private readonly events: AppEvents,
    private readonly config: AppConfig,
  ) {}

  /** One pass; true when there may be more. */
  async reconcile(): Promise<boolean> {
    // Reading is retried inside the provider's client; the lease covers that.
    const leaseMs = (this.config.PROVIDER_RETRIES + 1) * this.config.PROVIDER_TIMEOUT_MS + askAgainMs;
    const calls = await this.store.claimInDoubt(passSize, leaseMs);
    if (calls.length === 0) return false;
    const outcomes = await Promise.all(calls.map((call) => this.ask(call)));
    await this.store.recordOutcomes(outcomes, this.config.START_ATTEMPTS);
    return calls.length === passSize;
  }

  private async ask({
    correlationId,
    networkUsername,
    attempts,
    claimedAt,
    doubtUntil,
  }: ClaimedCall): Promise<CallOutcome> {
    try {
      const [scrape] = await this.provider.listByCorrelationId(correlationId);
      if (scrape) {
        this.events.emit('profile_adopted', { network_username: networkUsername, scrape_id: scrape.id });
        return { correlationId, state: 'started', scrapeId: scrape.id, startedAt: scrape.createdAt };
      }
    } catch (error) {
      const reason = `in doubt, and the provider does not answer: ${error instanceof Error ? error.message : String(error)}`;
      return { correlationId, state: 'unknown', reason, afterMs: askAgainMs };
    }
    // Both instants are the database's, so that clocks of replicas do not matter.
    const leftMs = doubtUntil.getTime() - claimedAt.getTime();
    if (leftMs > 0) {
      const reason = 'no clear answer to the start; the scrape may still appear at the provider';
      return { correlationId, state: 'unknown', reason, afterMs: Math.min(leftMs, askAgainMs) };
    }
    return {
      correlationId,
      state: 'pending',
      reason: 'the provider knows of no scrape after a start without a clear answer',
      afterMs: failedStartBackoffMs(attempts, this.config.START_BACKOFF_MS, Math.random()),
      isFailure: true,
    };
  }
}
