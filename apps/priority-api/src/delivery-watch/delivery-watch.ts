import { Injectable } from '@nestjs/common';
import { ProfileProvider } from '@tradewind/scraping-provider';
import { BackgroundWork, Logger } from '@tradewind/service-kit';
import { intentionOfCorrelationId, profileLookupMax, type ProfileDeliveryStatus } from '@tradewind/shared-types';
import { AppConfig } from '../app.config.js';
import { monthlyGeneration } from '../batch-message.js';
import { AppEvents } from '../events.js';
import { hasResult, lossOf } from '../profile-calls/retry-rule.js';
import { DeliveriesClient } from './deliveries.client.js';
import { WatchedCallsStore, type WatchedCall } from '../profile-calls/watched-calls.store.js';

/** Look-ups of overdue profiles at the provider at once. */
const lookupParallel = 8;

/** A webhook may arrive before the start is recorded, and clocks differ a little. */
const clockSlackMs = 60_000;

/**
 * Asks priority-webhook which started profiles have arrived. An overdue one is looked up at the provider. When its
 * scrape has ended, the webhook was lost, and the result is delivered to priority-webhook in its place.
 */
@Injectable()
export class DeliveryWatch {
  constructor(
    private readonly store: WatchedCallsStore,
    private readonly deliveries: DeliveriesClient,
    private readonly provider: ProfileProvider,
    private readonly config: AppConfig,
    private readonly events: AppEvents,
    private readonly logger: Logger,
    background: BackgroundWork,
  ) {
    events.gauge(
      'oldest_undelivered_profile_seconds',
      'Age of the oldest started profile that has not arrived at priority-webhook',
      () => store.oldestUndeliveredSeconds(),
    );
    const intervalMs = config.WATCH_INTERVAL_MS;
    background.every({ name: 'watch deliveries', intervalMs, run: () => this.pass() });
  }

  private async pass(): Promise<boolean> {
    const intervalMs = this.config.WATCH_INTERVAL_MS;
    const calls = await this.store.claim({ limit: profileLookupMax, ageMs: Math.min(intervalMs, 5_000), intervalMs });
    const missing = await this.learn(calls);
    const overdueBefore = Date.now() - this.config.DELIVERY_OVERDUE_SECONDS * 1000;
    const overdue = missing.filter(({ started_at }) => started_at !== null && started_at.getTime() < overdueBefore);
    for (let at = 0; at < overdue.length; at += lookupParallel) {
      await Promise.all(overdue.slice(at, at + lookupParallel).map((call) => this.recover(call)));
    }
    return calls.length === profileLookupMax;
  }

  /** Asks priority-webhook which of these have arrived, and records it. Answers those that have not. */
  async learn(calls: readonly WatchedCall[]): Promise<WatchedCall[]> {
    const groups = new Map<string, WatchedCall[]>();
    for (const call of calls) {
      const key = `${call.month} ${call.generation}`;
      const group = groups.get(key);
      if (group) group.push(call);
      else groups.set(key, [call]);
    }
    const missing: WatchedCall[] = [];
    for (const group of groups.values()) missing.push(...(await this.learnGroup(group)));
    return missing;
  }

  /** @param calls of one month and generation, at least one */
  private async learnGroup(calls: readonly WatchedCall[]): Promise<WatchedCall[]> {
    const { month, generation } = calls[0]!;
    // What arrived before a forced run belongs to an earlier one, and must not count for this one.
    const firstMs = Math.min(...calls.map(({ created_at }) => created_at.getTime()));
    const since = generation === monthlyGeneration ? undefined : new Date(firstMs - clockSlackMs);
    const names = calls.map(({ network_username }) => network_username);
    const found = new Map(
      (await this.deliveries.lookup(month, names, since)).map((status) => [status.network_username, status]),
    );
    const delivered: Parameters<WatchedCallsStore['recordDelivered']>[0][number][] = [];
    const missing: WatchedCall[] = [];
    for (const call of calls) {
      const status = found.get(call.network_username);
      if (status && isAnswer(status, call)) {
        delivered.push({
          correlationId: call.correlation_id,
          receivedAt: status.received_at,
          status: status.request_status,
        });
      } else missing.push(call);
    }
    if (delivered.length > 0) await this.store.recordDelivered(delivered);
    return missing;
  }

  private async recover(call: WatchedCall): Promise<void> {
    const { network_username, correlation_id, scrape_id, started_at } = call;
    if (scrape_id === null || started_at === null) return;
    try {
      const scrape = await this.provider.findScrape(scrape_id);
      const ageMs = Date.now() - started_at.getTime();
      const loss = lossOf(scrape, ageMs, this.config.RETRY_OVERDUE_SECONDS * 1000);
      if (loss !== undefined) {
        if (await this.store.recordLost(correlation_id, loss))
          this.events.emit('profile_lost', { network_username, scrape_id, reason: loss });
      } else if (scrape && hasResult(scrape)) {
        await this.deliveries.deliver(scrape.result, correlation_id);
        this.events.emit('profile_recovered', { network_username, scrape_id });
      }
    } catch (error) {
      // The profile stays undelivered: its age shows in the metric, its name in the report, and the next pass tries
      // again.
      this.logger.warn({ err: error, scrape_id }, 'an overdue profile could not be recovered');
    }
  }
}

/**
 * Whether a delivery answers this start: its own, whatever the status, or the success of an earlier start for the same
 * intention. The failure of an earlier start does not: the later one is still on its way.
 */
function isAnswer(status: ProfileDeliveryStatus, call: WatchedCall): boolean {
  if (status.correlation_id === call.correlation_id) return true;
  const receivedMs = new Date(status.received_at).getTime() + clockSlackMs;
  // Without an id, only the time decides.
  if (!status.correlation_id) return receivedMs >= (call.started_at ?? call.created_at).getTime();
  const isSameIntention =
    intentionOfCorrelationId(status.correlation_id) === intentionOfCorrelationId(call.correlation_id);
  return status.request_status === 'SUCCESS' && isSameIntention && receivedMs >= call.created_at.getTime();
}
