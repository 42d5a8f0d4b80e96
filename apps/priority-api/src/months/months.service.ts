import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import {
  ServiceError,
  addRetryCounts,
  normaliseNetworkUsername,
  parseMonth,
  profileLookupMax,
  type ProfileCallLookup,
  type ProfileCallStatus,
  type ProfileReference,
  type ProfileRetry,
  type RetryCounts,
  type RetryResult,
} from '@tradewind/shared-types';
import type { BatchProfile } from '../batch-message.js';
import { DeliveryWatch } from '../delivery-watch/delivery-watch.js';
import { AppEvents } from '../events.js';
import { WatchedCallsStore } from '../profile-calls/watched-calls.store.js';
import type { CallOfProfile, RetryPlan } from '../profile-calls/profile-call.types.js';
import { ProfileCallsStore } from '../profile-calls/profile-calls.store.js';

/** The profiles of a month: their states, and retries of those that came to nothing. */
@Injectable()
export class MonthsService {
  constructor(
    private readonly calls: ProfileCallsStore,
    private readonly watched: WatchedCallsStore,
    private readonly watch: DeliveryWatch,
    private readonly events: AppEvents,
  ) {}

  private recordRequest({ planId, month, isDryRun, requestedBy }: Omit<RetryPlan, 'profiles'>): void {
    if (!isDryRun) this.events.emit('retry_requested', { plan_id: planId, month, caller: requestedBy });
  }

  async lookup(month: string, { network_usernames, forced_run_id }: ProfileCallLookup): Promise<ProfileCallStatus[]> {
    return this.calls.listStatuses(parseMonth(month), network_usernames, forced_run_id);
  }

  /** A profile in all months that are kept, the latest first. */
  listCalls(
    handle: string,
    page: { after?: { month: string; generation: string } | undefined; limit: number },
  ): Promise<CallOfProfile[]> {
    return this.calls.listOfProfile(handle, page);
  }

  /** Over all months. */
  countLost(): Promise<number> {
    return this.watched.countLost();
  }

  async count(month: string): Promise<Record<string, number>> {
    return this.calls.countByState(parseMonth(month));
  }

  /** Starts profiles again that have ended without success or are lost, see profile-calls/retry-rule.ts. */
  async retry(month: string, body: ProfileRetry, requestedBy: string | null): Promise<RetryResult> {
    const plan: RetryPlan = {
      planId: body.plan_id ?? randomUUID(),
      month: parseMonth(month),
      generation: body.forced_run_id,
      profiles: toProfiles(body.profiles),
      arePublished: body.published ?? false,
      isDryRun: body.dry_run ?? false,
      requestedBy,
    };
    this.recordRequest(plan);
    return { month: plan.month, plan_id: plan.planId, dry_run: plan.isDryRun, ...(await this.carryOut(plan)) };
  }

  /** A retry of every profile of the month that this service knows. */
  async retryMissing(
    month: string,
    { isDryRun, requestedBy }: { isDryRun: boolean; requestedBy: string | null },
  ): Promise<RetryResult> {
    const plan = {
      planId: randomUUID(),
      month: parseMonth(month),
      generation: undefined,
      arePublished: false,
      isDryRun,
      requestedBy,
    };
    this.recordRequest(plan);
    const sum: RetryCounts = { started: 0, on_their_way: 0, done: 0, not_known: 0 };
    for (let after = ''; ;) {
      const profiles = await this.calls.listOfMonth(plan.month, after, profileLookupMax);
      const last = profiles.at(-1);
      if (!last) return { month: plan.month, plan_id: plan.planId, dry_run: isDryRun, ...sum };
      after = last.networkUsername;
      addRetryCounts(sum, await this.carryOut({ ...plan, profiles }));
    }
  }

  /** Asks first what has arrived: the watch may not have looked yet. Fails closed, because a start is paid for. */
  private async carryOut(plan: RetryPlan): Promise<RetryCounts> {
    const names = plan.profiles.map(({ networkUsername }) => networkUsername);
    const calls = await this.watched.listUndelivered(plan.month, names, plan.generation);
    try {
      await this.watch.learn(calls);
    } catch (cause) {
      throw new ServiceError({
        code: 'dependency.unavailable',
        status: 503,
        message: 'It cannot be found out which profiles have arrived, so none is started; try again later',
        retryable: true,
        retryAfterSeconds: 5,
        cause,
      });
    }
    return this.calls.retry(plan);
  }
}

/** The handle in a handle or address of a profile. Throws 400. */
export function assertHandle(username: string): string {
  const handle = normaliseNetworkUsername(username);
  if (handle !== undefined) return handle;
  const message = ['username must be the handle of a profile'];
  throw new ServiceError({ code: 'request.invalid', status: 400, message });
}

/** Each handle once. */
function toProfiles(references: readonly ProfileReference[]): BatchProfile[] {
  const byName = new Map(references.map((reference) => [reference.network_username, reference]));
  return [...byName.values()].map(({ network_username, person_id }) => ({
    networkUsername: network_username,
    personId: person_id,
  }));
}
