// When a profile that could not be stored is tried again. For ever: a received profile is never given up.

/**
 * Milliseconds until the next attempt: doubles from min to max, half of it random, so that what failed together
 * does not come back together.
 * @param attempts attempts made so far, at least 1
 * @param random a number from 0 to 1
 */
export function retryAfterMs(attempts: number, range: { minMs: number; maxMs: number }, random: number): number {
  const ceilingMs = Math.min(range.maxMs, range.minMs * 2 ** Math.min(attempts - 1, 30));
  return ceilingMs / 2 + (random * ceilingMs) / 2;
}
