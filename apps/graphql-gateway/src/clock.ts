import { Injectable } from '@nestjs/common';

/** The gateway's clock: limits, key expiry and deal status all use it, so that tests can change the time. */
@Injectable()
export class Clock {
  now(): Date {
    return new Date();
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
