import { Injectable } from '@nestjs/common';

/** The time of day as the gateway sees it: limits, key expiry and deal status all ask here. Tests move it. */
@Injectable()
export class Clock {
  now(): Date {
    return new Date();
  }
}

const dayMs = 86_400_000;
let lastDay = { number: Number.NaN, text: '' };

/** Calendar day in UTC, `YYYY-MM-DD`. Kept for the next caller: every request asks several times. */
export function utcDay(instant: Date): string {
  const number = Math.floor(instant.getTime() / dayMs);
  if (number !== lastDay.number) lastDay = { number, text: instant.toISOString().slice(0, 10) };
  return lastDay.text;
}
