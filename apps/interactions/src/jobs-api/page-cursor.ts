// The cursor of the list (service-kit, paging.ts): the place of a job in the order of the list.
import { cursorParts, timeAndId, toCursor as cursorOf } from '@tradewind/service-kit';
import type { JobFilter, JobPosition } from '../tracker/jobs.store.js';
import type { JobId } from '../tracker/tracker.types.js';

export function toCursor({ createdAt, id }: JobPosition, filter: JobFilter): string {
  return cursorOf([createdAt.getTime(), id], partsOf(filter));
}

/** Undefined when the text is no cursor, or one of another filter. */
export function parseCursor(text: string, filter: JobFilter): JobPosition | undefined {
  const position = timeAndId(cursorParts(text, partsOf(filter)) ?? []);
  return position && { createdAt: position.time, id: position.id as JobId };
}

/** Equal for equal filters, whatever the order of their statuses. */
function partsOf(filter: JobFilter): unknown[] {
  return [
    filter.userCompanyId ?? null,
    filter.statuses ? [...new Set(filter.statuses)].sort() : null,
    filter.networkHandle ?? null,
    filter.entity ?? null,
    filter.createdFrom?.getTime() ?? null,
    filter.createdBefore?.getTime() ?? null,
  ];
}
