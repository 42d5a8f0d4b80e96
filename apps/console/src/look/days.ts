// Days in UTC, as the services count them.

const dayMs = 86_400_000;

/** So many days, the last of them the given one or today, as `YYYY-MM-DD`. */
export function lastDays(count: number, last = new Date()): string[] {
  return Array.from({ length: count }, (_, index) =>
    new Date(last.getTime() - (count - 1 - index) * dayMs).toISOString().slice(0, 10),
  );
}

/** All days of a month. */
export function daysOf(month: string): string[] {
  const [year, place] = month.split('-').map(Number);
  const count = new Date(Date.UTC(year!, place, 0)).getUTCDate();
  return Array.from({ length: count }, (_, index) => `${month}-${String(index + 1).padStart(2, '0')}`);
}

/** The month of a moment. */
export const monthOf = (moment = new Date()): string => moment.toISOString().slice(0, 7);

/** The month so many months later, or earlier. */
export function monthLater(month: string, months: number): string {
  const [year, place] = month.split('-').map(Number);
  return monthOf(new Date(Date.UTC(year!, place! - 1 + months)));
}

export const isMonth = (text: string | undefined): text is string => /^\d{4}-(0[1-9]|1[0-2])$/.test(text ?? '');

export const monthName = (month: string): string =>
  new Date(`${month}-01T00:00:00Z`).toLocaleString('en', { month: 'long', year: 'numeric', timeZone: 'UTC' });
