// Takes units of the limits, and reports their state for the headers. Fails closed: while the counters cannot be
// reached nothing is admitted, and the caller gets a 503.
import { Injectable } from '@nestjs/common';
import { BackgroundWork } from '@tradewind/service-kit';
import { ServiceError } from '@tradewind/shared-types';
import { AppConfig } from '../app.config.js';
import { Clock, utcDay } from '../clock.js';
import { AppEvents } from '../events.js';
import {
  dataLimit,
  dataWindowSeconds,
  requestLimit,
  requestWindowKeys,
  requestWindowSeconds,
  type Caller,
} from './limits.js';
import { LimitsStore, type DayUse, type UserUse, type UsersByUse, type WindowState } from './limits.store.js';
import type { LimitState } from '../request/limit-state.js';

const cleanUpIntervalMs = 10 * 60_000;
const dayMs = 86_400_000;

export interface Admission {
  isAllowed: boolean;
  state: LimitState;
  /** Gives the units back; for answers that turn out to be failures. */
  refund: () => Promise<void>;
}

@Injectable()
export class LimitsService {
  constructor(
    private readonly store: LimitsStore,
    private readonly config: AppConfig,
    private readonly clock: Clock,
    private readonly events: AppEvents,
    background: BackgroundWork,
  ) {
    background.every({
      name: 'expired limits',
      intervalMs: cleanUpIntervalMs,
      // Not while the service starts.
      startsAfterMs: cleanUpIntervalMs,
      run: () => this.store.removeExpired(this.clock.now(), requestWindowSeconds),
    });
  }

  /** Takes `cost` data calls of the user's day, all or none. */
  async takeDataCalls(userId: string, cost: number): Promise<Admission> {
    const now = this.clock.now();
    const { isAllowed, used } = await closed(this.store.takeDaily(userId, cost, now));
    if (!isAllowed) this.events.emit('limit_reached', { policy: 'data', user_id: userId });
    return {
      isAllowed,
      state: this.dataState(used, now),
      refund: async () => this.store.giveBackDaily(userId, cost, now),
    };
  }

  /** Takes one request of the caller's windows, of all or of none. */
  async takeRequest(caller: Caller): Promise<Admission> {
    const keys = requestWindowKeys(this.config.ENVIRONMENT, caller);
    const limit = requestLimit(this.config);
    const window = await closed(this.store.takeWindows(keys, 1, limit, requestWindowSeconds));
    if (!window.isAllowed) this.events.emit('limit_reached', { policy: 'requests', user_id: caller.userId });
    return {
      isAllowed: window.isAllowed,
      state: this.requestState(window),
      refund: async () => this.store.giveBackWindows(keys, 1, requestWindowSeconds, window.takenAt),
    };
  }

  /** The state of the caller's limit, for the headers of answers that took nothing. */
  async look(policy: 'data' | 'requests', caller: Caller): Promise<LimitState> {
    if (policy === 'data' && caller.userId !== null) {
      const now = this.clock.now();
      return this.dataState(await this.store.dailyUse(caller.userId, now), now);
    }
    const keys = requestWindowKeys(this.config.ENVIRONMENT, caller);
    return this.requestState(await this.store.windowUse(keys, requestWindowSeconds));
  }

  /**
   * Data calls on each of the last days, today included, the first day first.
   * @param of a user, the users of a company, or everybody
   */
  async dataCallsByDay(days: number, of: { userId: string } | { companyId: string | undefined }): Promise<DayUse[]> {
    const now = this.clock.now();
    const since = daysBefore(now, days - 1);
    const uses =
      'userId' in of
        ? await this.store.dailyUses(of.userId, since)
        : await this.store.dailyUsesOfAll(of.companyId, since);
    const used = new Map(uses.map((row) => [row.day, row.used]));
    return Array.from({ length: days }, (_, index) => {
      const day = utcDay(daysBefore(now, days - 1 - index));
      return { day, used: used.get(day) ?? 0 };
    });
  }

  /** Who made data calls in the last days, today included, those with most first. */
  async usersByDataCalls(days: number, of: Omit<UsersByUse, 'since'>): Promise<UserUse[]> {
    return this.store.usersByUse({ ...of, since: daysBefore(this.clock.now(), days - 1) });
  }

  /** The data limit without asking: after `used` calls on the day of `now`. */
  private dataState(used: number, now: Date): LimitState {
    const limit = dataLimit(this.config);
    const endOfDay = Date.parse(`${utcDay(now)}T00:00:00.000Z`) + dayMs;
    return {
      policy: 'data',
      limit,
      windowSeconds: dataWindowSeconds,
      remaining: Math.max(limit - used, 0),
      resetSeconds: Math.max(Math.ceil((endOfDay - now.getTime()) / 1000), 1),
    };
  }

  private requestState({ used, resetSeconds }: WindowState): LimitState {
    const limit = requestLimit(this.config);
    return {
      policy: 'requests',
      limit,
      windowSeconds: requestWindowSeconds,
      remaining: Math.max(limit - used, 0),
      resetSeconds: Math.min(Math.max(resetSeconds ?? requestWindowSeconds, 1), requestWindowSeconds),
    };
  }
}

const daysBefore = (instant: Date, days: number): Date => new Date(instant.getTime() - days * dayMs);

async function closed<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (cause) {
    throw new ServiceError({
      code: 'dependency.unavailable',
      status: 503,
      message: 'Limits cannot be checked at the moment; try again shortly',
      retryable: true,
      retryAfterSeconds: 5,
      cause,
    });
  }
}
