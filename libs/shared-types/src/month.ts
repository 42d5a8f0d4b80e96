/** A calendar month in UTC, `YYYY-MM`: the key that makes the monthly pipeline idempotent. */
export type Month = string & { readonly brand: 'Month' };

const monthPattern = /^\d{4}-(0[1-9]|1[0-2])$/;

export function isMonth(text: unknown): text is Month {
  return typeof text === 'string' && monthPattern.test(text);
}

/** The month in which an instant lies, in UTC. */
export function monthOf(instant: Date): Month {
  return instant.toISOString().slice(0, 7) as Month;
}

/**
 * The oldest month that is still kept, when so many before the current one are. What belongs to an earlier month and
 * is older than `start` may go: a late run for an old month is kept as long as one of its time.
 */
export function oldestKeptMonth(now: Date, monthsKept: number): { month: Month; start: Date } {
  const start = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - monthsKept, 1));
  return { month: monthOf(start), start };
}

/**
 * Name of one intended scrape of the priority pipeline, `<month>.<random>`: sent to the provider by priority-api, and
 * back to priority-webhook as header `x-correlation-id`, which reads from it the month that the scrape is for.
 */
export function scrapeCorrelationId(month: Month, random: string): string {
  return `${month}.${random}`;
}

/** The month in a correlation id of the priority pipeline; undefined for any other text. */
export function monthOfCorrelationId(correlationId: string): Month | undefined {
  const [month, random] = correlationId.split('.', 2);
  return random && isMonth(month) ? month : undefined;
}
