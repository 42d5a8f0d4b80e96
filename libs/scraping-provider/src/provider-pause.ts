// When all starts pause because of the provider, and for how long: over all replicas, for runs and profiles alike.
// Pure: the apps keep the end of the pause and the number of failures in a row, each in one row of a table.
import { backoffMs } from '@tradewind/shared-types';
import type { StartFailure } from './provider-failures.js';

/**
 * Failures in a row from which on an outage pauses all starts. One missing answer may be an accident; two in a row
 * rarely are. No capacity pauses them at once, since the provider then says so and names a wait.
 */
const outageFailuresMin = 2;
/** A pause after unclear answers is short: the next look may find the provider back, milliseconds. */
const outagePauseMs = 2_000;
/** How far a wait for capacity grows, in multiples of the wait that the provider asked for. */
const growthMax = 8;
/** A wait does not grow beyond this: short enough to notice within minutes that there is room, milliseconds. */
const grownPauseMsMax = 300_000;

export interface ProviderPause {
  kind: 'capacity' | 'outage';
  /** 0: the failure counts, but starting goes on. */
  pauseMs: number;
}

/**
 * What one failed start means for all others; undefined when it says nothing about the provider.
 * @param failuresInARow failures before this one without a start that succeeded since. Those of one burst count once:
 * what fails during a pause does not count and only prolongs the pause, as if it were the first.
 * @param random a number from 0 to 1
 */
export function pauseAfter(
  failure: StartFailure,
  failuresInARow: number,
  random = Math.random(),
): ProviderPause | undefined {
  switch (failure.outcome) {
    case 'refused':
      return undefined;
    case 'no_capacity': {
      const askedMs = failure.retryAfterMs;
      const backoffMsMax = Math.max(askedMs, Math.min(askedMs * growthMax, grownPauseMsMax));
      const waitMs = backoffMs(failuresInARow + 1, { backoffMsMin: askedMs, backoffMsMax }, 1);
      // Never shorter than asked, and up to a fifth longer, so that replicas do not come back at the same moment.
      return { kind: 'capacity', pauseMs: Math.round(waitMs * (1 + random / 5)) };
    }
    case 'unavailable':
    case 'unknown_outcome': {
      const isOutage = failuresInARow + 1 >= outageFailuresMin;
      const waitMs = failure.outcome === 'unavailable' ? failure.retryAfterMs : outagePauseMs;
      return { kind: 'outage', pauseMs: isOutage ? waitMs : 0 };
    }
  }
}
