import { setTimeout as sleep } from 'node:timers/promises';
import { isDatabaseUnavailable } from './database-failure.js';

// A service that starts together with its database waits this long for it.
const startTimeoutMs = 30_000;
const retryMs = 500;

/**
 * Connects, and tries again while the database does not answer. Other errors, such as a wrong password, fail at once.
 */
export async function untilReachable<T>(
  connect: () => Promise<T>,
  onWait: (error: unknown) => void = () => undefined,
): Promise<T> {
  const deadline = performance.now() + startTimeoutMs;
  for (let isFirst = true; ; isFirst = false) {
    try {
      return await connect();
    } catch (error) {
      if (!isDatabaseUnavailable(error) || performance.now() >= deadline) throw error;
      if (isFirst) onWait(error);
      await sleep(retryMs);
    }
  }
}
