import { ServiceError } from './service-error.js';

/** A calendar month in UTC, `YYYY-MM`: the key that makes the monthly pipeline idempotent. */
export type Month = string & { readonly brand: 'Month' };

const monthPattern = /^\d{4}-(0[1-9]|1[0-2])$/;

/** The platform has no older data, so an earlier month is a mistake. */
const monthMin = '2000-01';

/** How many months ahead may be prepared. A later month is a mistake, and a run of it would cost money for nothing. */
const monthsAheadMax = 12;

/** Why the pipeline does not accept a text as a month, as the end of a sentence; undefined when it does. */
export function monthFault(text: unknown, now = new Date()): string | undefined {
  if (typeof text !== 'string' || !monthPattern.test(text)) return 'must have the form YYYY-MM';
  const monthMax = monthOf(new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + monthsAheadMax, 1)));
  // Texts of this form are in the order of time.
  return text < monthMin || text > monthMax ? `must lie between ${monthMin} and ${monthMax}` : undefined;
}

/** Whether a text names a month that the pipeline works on. Everything that reads a month asks here. */
export function isMonth(text: unknown, now = new Date()): text is Month {
  return monthFault(text, now) === undefined;
}

/** The month of a path or a body. Throws `request.invalid` (400). */
export function parseMonth(text: unknown): Month {
  if (isMonth(text)) return text;
  throw new ServiceError({ code: 'request.invalid', status: 400, message: [`month ${monthFault(text)}`] });
}

/** The month in which an instant lies, in UTC. */
export function monthOf(instant: Date): Month {
  return instant.toISOString().slice(0, 7) as Month;
}

/**
 * The oldest month that is still kept, when `monthsKept` months before the current one are. A row may be deleted when
 * its month is earlier and it is older than `start`. So a late run for an old month is kept as long as any other.
 */
export function oldestKeptMonth(now: Date, monthsKept: number): { month: Month; start: Date } {
  const start = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - monthsKept, 1));
  return { month: monthOf(start), start };
}

/**
 * Name of one intended scrape of the priority pipeline: `<month>.<random>`, or `<month>.<random>.<run id>` for a forced
 * run. The service priority-api sends it to the provider, which returns it to priority-webhook as header
 * `x-correlation-id`. That app reads the month of the scrape from it. The rest without the random part names the
 * purpose of the scrape. By it the provider simulator notices a profile that is bought twice (see ProfileCallsStore).
 */
export function scrapeCorrelationId(month: Month, random: string, forcedRunId?: string): string {
  return [month, random, ...(forcedRunId === undefined ? [] : [forcedRunId])].join('.');
}

/** The month in a correlation id of the priority pipeline; undefined for any other text. */
export function monthOfCorrelationId(correlationId: string): Month | undefined {
  const [month, random] = correlationId.split('.', 2);
  return random && isMonth(month) ? month : undefined;
}

/** What a scrape is for: its correlation id without the random part. A profile is scraped once for each intention. */
export function intentionOfCorrelationId(correlationId: string): string {
  const [month, , ...forcedRun] = correlationId.split('.');
  return [month, ...forcedRun].join('.');
}
