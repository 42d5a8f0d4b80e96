// How many failed logins are allowed, and what they are counted by (settings LOGIN_*). An unknown browser counts in
// three windows at once; a known one in a window of its own alone, which nobody else can fill.
import { createHash } from 'node:crypto';
import type { AppConfig } from '../app.config.js';
import type { AttemptLimit } from '../throttle/attempts.store.js';

/** As events and audit rows name it. */
export type LoginLimitName = 'account_and_network' | 'account' | 'network' | 'known_browser';

export interface LoginLimit extends AttemptLimit {
  name: LoginLimitName;
  /** What a success does to the window: the rightful user starts afresh, or only this attempt is taken back. */
  afterSuccess: 'clear' | 'refund';
}

export function loginLimits(
  config: AppConfig,
  attempt: { account: string; network: string; browserId: string | undefined },
): LoginLimit[] {
  const windowSeconds = config.LOGIN_WINDOW_SECONDS;
  const { network, browserId } = attempt;
  if (browserId !== undefined) {
    return [
      {
        name: 'known_browser',
        key: `login browser ${browserId}`,
        limit: config.LOGIN_FAILURES_PER_KNOWN_BROWSER,
        windowSeconds,
        afterSuccess: 'clear',
      },
    ];
  }
  // Hashed: the table shall not become a list of email addresses that somebody typed.
  const account = createHash('sha256').update(attempt.account).digest('base64url');
  return [
    {
      name: 'account_and_network',
      key: `login account ${account} network ${network}`,
      limit: config.LOGIN_FAILURES_PER_ACCOUNT_AND_NETWORK,
      windowSeconds,
      afterSuccess: 'clear',
    },
    {
      name: 'account',
      key: `login account ${account}`,
      limit: config.LOGIN_FAILURES_PER_ACCOUNT,
      windowSeconds,
      afterSuccess: 'refund',
    },
    {
      name: 'network',
      key: `login network ${network}`,
      limit: config.LOGIN_FAILURES_PER_NETWORK,
      windowSeconds,
      afterSuccess: 'refund',
    },
  ];
}
