import { Injectable } from '@nestjs/common';
import { ProfileProvider } from '@tradewind/scraping-provider';
import { Logger } from '@tradewind/service-kit';
import { profileLookupMax } from '@tradewind/shared-types';
import { AppConfig } from '../app.config.js';
import { AppEvents } from '../events.js';
import { DeliveriesClient } from './deliveries.client.js';
import { WatchedCallsStore, type WatchedCall } from './watched-calls.store.js';

/** Look-ups of overdue profiles at the provider at once. */
const lookupParallel = 8;

/**
 * Learns from priority-webhook which started profiles have arrived. One that is overdue is looked up at the provider:
 * when its scrape has ended, the webhook was lost, and the result is handed to priority-webhook in its place.
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
  ) {
    events.gauge(
      'oldest_undelivered_profile_seconds',
      'Age of the oldest started profile that has not arrived at priority-webhook',
      () => store.oldestUndeliveredSeconds(),
    );
  }

  /** One pass; true when there may be more. */
  async pass(): Promise<boolean> {
    const intervalMs = this.config.WATCH_INTERVAL_MS;
    const calls = await this.store.claim({ limit: profileLookupMax, ageMs: Math.min(intervalMs, 5_000), intervalMs });
    for (const month of new Set(calls.map((call) => call.month))) {
      await this.check(
        month,
        calls.filter((call) => call.month === month),
      );
    }
    return calls.length === profileLookupMax;
  }

  private async check(month: string, calls: readonly WatchedCall[]): Promise<void> {
    const names = calls.map(({ network_username }) => network_username);
    const found = new Map(
      (await this.deliveries.lookup(month, names)).map((status) => [status.network_username, status]),
    );
    const delivered: Parameters<WatchedCallsStore['recordDelivered']>[0][number][] = [];
    const missing: WatchedCall[] = [];
    for (const call of calls) {
      const status = found.get(call.network_username);
      // A delivery older than the start is of an earlier scrape.
      if (status && new Date(status.received_at) >= new Date(call.started_at.getTime() - clockSlackMs)) {
        delivered.push({
          correlationId: call.correlation_id,
          receivedAt: status.received_at,
          status: status.request_status,
        });
      } else missing.push(call);
    }
    if (delivered.length > 0) await this.store.recordDelivered(delivered);
    const overdueBefore = Date.now() - this.config.DELIVERY_OVERDUE_SECONDS * 1000;
    const overdue = missing.filter(({ started_at }) => started_at.getTime() < overdueBefore);
    for (let at = 0; at < overdue.length; at += lookupParallel) {
      await Promise.all(overdue.slice(at, at + lookupParallel).map((call) => this.recover(call)));
    }
  }

  private async recover(call: WatchedCall): Promise<void> {
    try {
      const scrape = await this.provider.findScrape(call.scrape_id);
      if (!scrape || (scrape.status !== 'SUCCEEDED' && scrape.status !== 'FAILED') || scrape.result === undefined)
        return;
      await this.deliveries.deliver(scrape.result, call.correlation_id);
      this.events.emit('profile_recovered', { network_username: call.network_username, scrape_id: call.scrape_id });
    } catch (error) {
      // The profile stays undelivered: its age shows in the metric, its name in the report, and the next pass tries again.
      this.logger.warn({ err: error, scrape_id: call.scrape_id }, 'an overdue profile could not be recovered');
    }
  }
}

/** A webhook may arrive before the start is recorded, and clocks differ a little. */
const clockSlackMs = 60_000;
