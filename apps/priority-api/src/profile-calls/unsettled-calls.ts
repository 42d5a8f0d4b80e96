import { Injectable } from '@nestjs/common';
import { lookAgainMsMax, ProfileProvider, stepAfterFailure } from '@tradewind/scraping-provider';
import { BackgroundWork } from '@tradewind/service-kit';
import { AppConfig } from '../app.config.js';
import { AppEvents } from '../events.js';
import type { CallOutcome, ClaimedCall } from './profile-call.types.js';
import { ProfileCallsStore } from './profile-calls.store.js';

/** Look-ups at the provider at once. */
const passSize = 20;

/** Settles starts whose outcome is unknown: asks the provider for the scrape before anything is started again. */
@Injectable()
export class UnsettledCalls {
  constructor(
    private readonly store: ProfileCallsStore,
    private readonly provider: ProfileProvider,
    private readonly events: AppEvents,
    private readonly config: AppConfig,
    background: BackgroundWork,
  ) {
    background.every({ name: 'unsettled starts', intervalMs: config.LOOP_INTERVAL_MS, run: () => this.settle() });
  }

  private async settle(): Promise<boolean> {
    // Reading is retried inside the provider's client; the lease covers that.
    const leaseMs = (this.config.PROVIDER_RETRIES + 1) * this.config.PROVIDER_TIMEOUT_MS + lookAgainMsMax;
    const calls = await this.store.claimUnsettled(passSize, leaseMs);
    if (calls.length === 0) return false;
    const outcomes = await Promise.all(calls.map((call) => this.ask(call)));
    await this.store.recordOutcomes(outcomes);
    if (outcomes.some(({ state }) => state === 'started')) await this.store.noteStart();
    return calls.length === passSize;
  }

  private async ask(call: ClaimedCall): Promise<CallOutcome> {
    const { correlationId, startFence, networkUsername, claimedAt, settleAfter } = call;
    const claim = { correlationId, startFence };
    try {
      const [scrape] = await this.provider.listByCorrelationId(correlationId);
      if (scrape) {
        this.events.emit('profile_adopted', { network_username: networkUsername, scrape_id: scrape.id });
        return { ...claim, state: 'started', scrapeId: scrape.id, startedAt: scrape.createdAt };
      }
    } catch (error) {
      const detail = error instanceof Error ? error.message : String(error);
      const reason = `not settled, and the provider does not answer: ${detail}`;
      return { ...claim, state: 'unknown', reason, afterMs: lookAgainMsMax };
    }
    // Both instants are the database's, so that clocks of replicas do not matter.
    const leftMs = settleAfter.getTime() - claimedAt.getTime();
    if (leftMs > 0) {
      const reason = 'no clear answer to the start; the scrape may still appear at the provider';
      return { ...claim, state: 'unknown', reason, afterMs: Math.min(leftMs, lookAgainMsMax) };
    }
    const reason = 'the provider knows of no scrape after a start without a clear answer';
    const next = stepAfterFailure(call.failures, this.config);
    if (next.step === 'retry') return { ...claim, state: 'pending', reason, ...next };
    const failures = call.failures + 1;
    return { ...claim, state: 'refused', reason: `given up after ${failures} starts: ${reason}`, failures };
  }
}
