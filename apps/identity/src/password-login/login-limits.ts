// How many failed logins are allowed, and by what they are counted (settings LOGIN_*). An unknown browser counts in
// three windows at once. A known one counts only in a window of its own, which nobody else can fill.
import { createHash } from 'node:crypto';
import type { AppConfig } from '../app.config.js';
import type { AttemptLimit } from '../throttle/attempts.store.js';

/** As events and audit rows name it. */
export type LoginLimitName = 'account_and_network' | 'account' | 'network' | 'known_browser' | 'second_factor';

export interface LoginLimit extends AttemptLimit {
  name: LoginLimitName;
  /** What a success does to the window: it deletes all attempts, or only takes this one back. */
  afterSuccess: 'clear' | 'refund';
}

export function loginLimits(
  config: AppConfig,
  attempt: { account: string; network: string; browserId: string | undefined },
): LoginLimit[] {
  const { network, browserId } = attempt;
  const window = { windowSeconds: config.LOGIN_WINDOW_SECONDS };
  const clear = { ...window, afterSuccess: 'clear' } as const;
  const refund = { ...window, afterSuccess: 'refund' } as const;
  if (browserId !== undefined) {
    const limit = config.LOGIN_FAILURES_PER_KNOWN_BROWSER;
    return [{ name: 'known_browser', key: `login browser ${browserId}`, limit, ...clear }];
  }
  // Hashed: the table must not become a list of email addresses that somebody typed.
  const account = `login account ${createHash('sha256').update(attempt.account).digest('base64url')}`;
  const {
    LOGIN_FAILURES_PER_ACCOUNT_AND_NETWORK: perAccountAndNetwork,
    LOGIN_FAILURES_PER_ACCOUNT: perAccount,
    LOGIN_FAILURES_PER_NETWORK: perNetwork,
  } = config;
  return [
    { name: 'account_and_network', key: `${account} network ${network}`, limit: perAccountAndNetwork, ...clear },
    { name: 'account', key: account, limit: perAccount, ...refund },
    { name: 'network', key: `login network ${network}`, limit: perNetwork, ...refund },
  ];
}

/**
 * The limits of a second factor: those of the password, and one for a day. Who knows the password could otherwise try
 * some thousand codes a day.
 */
export function secondFactorLimits(
  config: AppConfig,
  attempt: { account: string; network: string; browserId: string | undefined; userId: string },
): LoginLimit[] {
  const limits = loginLimits(config, attempt);
  // A known browser has a count of its own here, too.
  const key = `second factor ${attempt.userId}${attempt.browserId === undefined ? '' : ` browser ${attempt.browserId}`}`;
  const day = { limit: config.SECOND_FACTOR_FAILURES_PER_DAY, windowSeconds: 86_400, afterSuccess: 'refund' } as const;
  return [...limits, { name: 'second_factor', key, ...day }];
}
