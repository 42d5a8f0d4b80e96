// The limits of the data API in numbers (data-api.md, Limits; DECISIONS.md, Commercial data).
import { clientNetwork, daysMax } from '@tradewind/service-kit';
import type { Environment } from '@tradewind/shared-types';
import { AppConfig } from '../app.config.js';

/** Whose window a request counts in. */
export interface Caller {
  ip: string;
  userId: string | null;
}

/** Length of the window of all requests that are not data calls; it starts with its first request. */
export const requestWindowSeconds = 60;
/** Data calls count by the calendar day in UTC. */
export const dataWindowSeconds = 86_400;

/** Days whose data calls are kept and shown, today included. */
export const usageDaysMax = daysMax;

export function requestLimit(config: AppConfig): number {
  return config.REQUESTS_PER_MINUTE;
}

export function dataLimit(config: AppConfig): number {
  return config.DATA_CALLS_PER_DAY;
}

/**
 * Keys of the windows that a request other than a data call takes a unit of. In production these are its address and
 * its user, elsewhere its user. IPv6 counts by /64. A log-in has no user yet, so it counts by address everywhere.
 */
export function requestWindowKeys(environment: Environment, { ip, userId }: Caller): string[] {
  const keys: string[] = [];
  if (environment === 'production' || userId === null) keys.push(`ip:${clientNetwork(ip)}`);
  if (userId !== null) keys.push(`user:${userId}`);
  return keys;
}
