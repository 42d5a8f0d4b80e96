// The settings of a replica. They are those that `npm start` wrote for operator commands, with proxies in front of
// PostgreSQL and of the provider. Waits are short, so that a run of minutes sees what takes hours elsewhere.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { compileCacheSetting } from '@tradewind/testkit';
import type { ServiceName } from '../../src/service-names.js';

/** The waits before a second start are longer than a fault of the connections (faults/run-faults.ts). */
const shortWaits: Record<string, string> = {
  LEASE_SECONDS: '12',
  // Shorter than requests have at a stop (SHUTDOWN_TIMEOUT_MS), as in production.
  ANSWER_BUDGET_MS: '4000',
  PROVIDER_TIMEOUT_MS: '4000',
  PROVIDER_NO_CAPACITY_DELAY_MS: '1000',
  START_SETTLE_MS: '5000',
  START_SETTLE_SILENT_MS: '12000',
  FOLLOW_INTERVAL_MS: '2000',
  WATCH_INTERVAL_MS: '2000',
  DELIVERY_OVERDUE_SECONDS: '10',
  RETRY_OVERDUE_SECONDS: '60',
  STORE_BACKOFF_MS_MAX: '5000',
  RESUME_INTERVAL_MS: '2000',
  COST_SETTLE_SECONDS: '5',
  DRAIN_DELAY_MS: '500',
};

/** Full months before the current one that the load can start. */
export const monthsKept = 120;

/** One of the companies that the load starts jobs for. */
export const companyWithBudget = 'company-with-a-budget';

/** The accountant is told the same numbers. */
export interface Limits {
  dataCallsPerDay: number;
  registrationsPerHour: number;
  /** Of one account in two hours. */
  wrongPasswords: number;
  companyWithBudget: string;
  /** Of this company in a month. */
  budgetUsd: number;
}

/** The callers reach them after about two thirds of their time, so that both sides of a limit are seen. */
export const limitsOf = ({ minutes, callers }: { minutes: number; callers: number }): Limits => ({
  dataCallsPerDay: Math.ceil(10 * callers * minutes),
  registrationsPerHour: Math.ceil((20 / 3) * callers * minutes),
  wrongPasswords: 10,
  companyWithBudget,
  budgetUsd: Math.ceil((25 / 3) * callers * minutes) / 100,
});

export interface ReplicaSettings {
  databaseUrl: string;
  providerUrl: string;
  port: number;
  limits: Limits;
}

export function serviceSettings(
  service: ServiceName,
  dataDir: string,
  { databaseUrl, providerUrl, port, limits }: ReplicaSettings,
): Record<string, string> {
  const file = join(dataDir, 'settings', `${service}.env`);
  // Every value of the file is a text.
  const settings = { ...(parseEnv(readFileSync(file, 'utf8')) as Record<string, string>), ...shortWaits };
  for (const name of ['DATABASE_URL', 'WAREHOUSE_DATABASE_URL', 'QUEUE_DATABASE_URL']) {
    if (settings[name] !== undefined) settings[name] = databaseUrl;
  }
  if (settings['PROVIDER_BASE_URL'] !== undefined) settings['PROVIDER_BASE_URL'] = providerUrl;
  return {
    ...settings,
    ...compileCacheSetting(),
    PATH: process.env['PATH'] ?? '',
    HOME: process.env['HOME'] ?? '',
    NODE_ENV: 'production',
    LOG_LEVEL: 'info',
    MIGRATE_ON_START: 'true',
    HOST: '127.0.0.1',
    PORT: String(port),
    METRICS_PORT: String(port + 1000),
    DATA_CALLS_PER_DAY: String(limits.dataCallsPerDay),
    REGISTRATIONS_PER_IP_PER_HOUR: String(limits.registrationsPerHour),
    LOGIN_FAILURES_PER_ACCOUNT_AND_NETWORK: String(limits.wrongPasswords),
    // All callers have one address. Longer than a run: the accountant counts one window.
    LOGIN_FAILURES_PER_NETWORK: '100000',
    LOGIN_WINDOW_SECONDS: '7200',
    MONTHS_KEPT: String(monthsKept),
    REQUESTS_PER_MINUTE: '100000',
  };
}
