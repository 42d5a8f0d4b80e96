import { Injectable } from '@nestjs/common';

/** The time of day as the gateway sees it: limits, key expiry and deal status all ask here. Tests move it. */
@Injectable()
export class Clock {
  now(): Date {
    return new Date();
  }
}

/** Calendar day in UTC, `YYYY-MM-DD`. */
export function utcDay(instant: Date): string {
  return instant.toISOString().slice(0, 10);
}
