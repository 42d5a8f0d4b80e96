import type { Sample } from '../generator/open-loop.js';
import { isServed } from './summary.js';

const windowMs = 250;
/** Share of the requests of a window that must be served in time. */
const shareMin = 0.99;

/**
 * How long after the begin of the phase the service serves in time again, milliseconds. That is the end of the last
 * window in which it did not. Undefined when that is the last window of the phase.
 */
export function recoveryMs(samples: readonly Sample[], latencyMsMax: number): number | undefined {
  const windows = new Map<number, { sent: number; good: number }>();
  for (const sample of samples) {
    const number = Math.floor(sample.dueMs / windowMs);
    const window = windows.get(number) ?? { sent: 0, good: 0 };
    windows.set(number, window);
    window.sent += 1;
    if (isServed(sample) && sample.latencyMs <= latencyMsMax) window.good += 1;
  }
  const bad = [...windows].filter(([, { sent, good }]) => good < sent * shareMin).map(([number]) => number);
  if (bad.length === 0) return 0;
  const lastBad = Math.max(...bad);
  return lastBad === Math.max(...windows.keys()) ? undefined : (lastBad + 1) * windowMs;
}
