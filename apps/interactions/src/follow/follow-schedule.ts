// How often a run is looked up at the provider when no webhook comes. Most runs last 5 to 20 minutes, and a webhook
// reports the end at once. Looking finds runs whose webhook was lost, and the move to RUNNING.

const minuteMs = 60_000;

/**
 * Wait before the next look at a run of this age, milliseconds: three and twelve times longer after 1 and 20 minutes.
 */
export function nextLookMs(ageMs: number, intervalMs: number): number {
  if (ageMs < minuteMs) return intervalMs;
  return intervalMs * (ageMs < 20 * minuteMs ? 3 : 12);
}

/** A run that is being aborted ends within seconds (the provider's grace is 30 s). */
export const abortingLookMs = 1_000;
