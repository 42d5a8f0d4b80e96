import { Injectable } from '@nestjs/common';

/**
 * The gateway's clock: the day's limit, key expiry and deal status all use it, so that tests can change the time. What
 * replicas share counts by the clock of the database (rate-limit/limits.store.ts).
 */
@Injectable()
export class Clock {
  now(): Date {
    return new Date();
  }

  /** Milliseconds since the process began, which no change of the machine's clock touches: for how long ago it was. */
  elapsedMs(): number {
    return performance.now();
  }
}

const dayMs = 86_400_000;
let lastDay = { number: Number.NaN, text: '' };

/** Calendar day in UTC, `YYYY-MM-DD`. The last one is cached, because every request asks several times. */
export function utcDay(instant: Date): string {
  const number = Math.floor(instant.getTime() / dayMs);
  if (number !== lastDay.number) lastDay = { number, text: instant.toISOString().slice(0, 10) };
  return lastDay.text;
}
