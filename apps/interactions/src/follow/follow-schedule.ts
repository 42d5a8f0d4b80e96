// How often a run is looked up at the provider when no webhook comes. Most runs last 5 to 20 minutes, and webhooks tell
// of their end at once; looking is for webhooks that are lost, and for the move to RUNNING.

const minuteMs = 60_000;

/** Wait before the next look at a run of this age, milliseconds: three and twelve times longer after 1 and 20 minutes. */
export function nextLookMs(ageMs: number, intervalMs: number): number {
  if (ageMs < minuteMs) return intervalMs;
  return intervalMs * (ageMs < 20 * minuteMs ? 3 : 12);
}

/** A run that is being aborted ends within seconds (the provider's grace is 30 s). */
export const abortingLookMs = 1_000;

/** Wait after so many failures in a row of the provider or the warehouse, milliseconds: 1 s doubled up to a minute. */
export function retryAfterFailureMs(failures: number): number {
  return Math.min(1_000 * 2 ** failures, minuteMs);
}

/**
 * Looks in a row that find no run, or no dataset, before the job becomes FAILED. About 30 s together: an answer of 404
 * may come from a lagging copy of the provider's database.
 */
export const missingLooksMax = 5;
