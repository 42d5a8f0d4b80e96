// The filters of the audit log, from the texts of an address to what identity asks for.
import type { paths } from '../api/identity.generated';

export interface AuditSearch {
  event?: string;
  user?: string;
  client?: string;
  /** The last so many days. It goes before the dates. */
  days?: string;
  /** The first and the last day, such as `2026-11-01`, in the time zone of the browser. */
  from?: string;
  until?: string;
}

type AuditFilter = NonNullable<paths['/admin/audit/export']['get']['parameters']['query']>;

const dayMs = 86_400_000;

/** What identity does not understand goes there as it is: it says what is wrong. */
export function auditFilterOf({ event, user, client, days, from, until }: AuditSearch, now: Date): AuditFilter {
  const since = days === undefined ? from && startOf(from, 0) : startOfDays(days, now);
  const before = days === undefined && until !== undefined ? startOf(until, 1) : undefined;
  return {
    ...(event !== undefined && { event }),
    ...(user !== undefined && { user_id: user }),
    ...(client !== undefined && { client_id: client }),
    ...(since !== undefined && { since }),
    ...(before !== undefined && { until: before }),
  };
}

/** @returns the instant at which the day begins here, so many days later */
function startOf(date: string, daysLater: number): string {
  const start = new Date(`${date}T00:00`);
  start.setDate(start.getDate() + daysLater);
  return Number.isNaN(start.getTime()) ? date : start.toISOString();
}

function startOfDays(days: string, now: Date): string {
  const start = new Date(now.getTime() - Number(days) * dayMs);
  return Number.isNaN(start.getTime()) ? days : start.toISOString();
}
