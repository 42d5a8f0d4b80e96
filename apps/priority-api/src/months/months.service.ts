import { Injectable } from '@nestjs/common';
import {
  ServiceError,
  isMonth,
  normaliseNetworkUsername,
  profileLookupMax,
  type Month,
  type ProfileCallStatus,
  type ProfileRetry,
} from '@tradewind/shared-types';
import { monthlyGeneration } from '../batches/batch-message.js';
import { DeliveriesClient } from '../delivery-watch/deliveries.client.js';
import { ProfileCallsStore } from '../profile-calls/profile-calls.store.js';

/** A month as this service knows it: how profiles stand, and starting again those that an operator misses. */
@Injectable()
export class MonthsService {
  constructor(
    private readonly calls: ProfileCallsStore,
    private readonly deliveries: DeliveriesClient,
  ) {}

  async lookup(month: string, networkUsernames: readonly string[]): Promise<ProfileCallStatus[]> {
    return this.calls.listStatuses(toMonth(month), networkUsernames);
  }

  async count(month: string): Promise<Record<string, number>> {
    return this.calls.countByState(toMonth(month));
  }

  /**
   * Starts profiles again that the caller knows to be missing, and those that never reached this service.
   * Profiles on their way are left alone. Answers how many will be started.
   */
  async retry(month: string, { profiles }: ProfileRetry): Promise<number> {
    const known = toMonth(month);
    const usable = profiles.flatMap(({ network_username, person_id }) => {
      const networkUsername = normaliseNetworkUsername(network_username);
      return networkUsername === undefined ? [] : [{ networkUsername, personId: person_id }];
    });
    const names = usable.map(({ networkUsername }) => networkUsername);
    const restarted = await this.calls.restart(known, names);
    const present = new Set(
      (await this.calls.listStatuses(known, names)).map(({ network_username }) => network_username),
    );
    const absent = usable.filter(({ networkUsername }) => !present.has(networkUsername));
    const added =
      absent.length === 0
        ? 0
        : await this.calls.insert(
            { month: known, generation: monthlyGeneration, batchNumber: null, profiles: absent },
            0,
          );
    return restarted + added;
  }

  /** Starts again what this service knows of and priority-webhook has no success for. Answers how many of how many. */
  async retryMissing(month: string, report: (progress: { checked: number; retried: number }) => void): Promise<void> {
    const known = toMonth(month);
    const progress = { checked: 0, retried: 0 };
    for (let after = ''; ;) {
      const page = await this.calls.listUndelivered(known, after, profileLookupMax);
      const last = page.at(-1);
      if (!last) return;
      after = last.network_username;
      const arrived = await this.arrived(
        known,
        page.map(({ network_username }) => network_username),
      );
      const missing = page
        .filter(({ network_username }) => !arrived.has(network_username))
        .map(({ network_username }) => network_username);
      progress.checked += page.length;
      progress.retried += await this.calls.restart(known, missing);
      report(progress);
    }
  }

  private async arrived(month: Month, networkUsernames: readonly string[]): Promise<Set<string>> {
    const statuses = await this.deliveries.lookup(month, networkUsernames);
    return new Set(
      statuses
        .filter(({ request_status }) => request_status === 'SUCCESS')
        .map(({ network_username }) => network_username),
    );
  }
}

function toMonth(month: string): Month {
  if (isMonth(month)) return month;
  throw new ServiceError({ code: 'request.invalid', status: 400, message: ['month must have the form YYYY-MM'] });
}
