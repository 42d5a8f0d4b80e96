// The cursor of the list: the position after which the next page begins, and a hash of the filters it belongs to.
// It is opaque to callers and holds nothing that the page before did not show.
import { createHash } from 'node:crypto';
import type { JobFilter, JobPosition } from '../tracker/jobs.store.js';
import type { JobId } from '../tracker/tracker.types.js';

export function toCursor(position: JobPosition, filter: JobFilter): string {
  return Buffer.from(JSON.stringify([position.createdAt.getTime(), position.id, filterSum(filter)])).toString(
    'base64url',
  );
}

/** Undefined when the text is no cursor, or one of another filter. */
export function parseCursor(text: string, filter: JobFilter): JobPosition | undefined {
  try {
    const parsed: unknown = JSON.parse(Buffer.from(text, 'base64url').toString());
    if (!Array.isArray(parsed) || parsed.length !== 3) return undefined;
    const [time, id, sum] = parsed as unknown[];
    if (!Number.isSafeInteger(time) || Math.abs(time as number) > 8.64e15) return undefined;
    if (typeof id !== 'string' || !/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id)) return undefined;
    if (sum !== filterSum(filter)) return undefined;
    return { createdAt: new Date(time as number), id: id as JobId };
  } catch {
    // Not base64 of JSON: no cursor of ours.
    return undefined;
  }
}

/** Equal filters have equal sums, whatever the order of their statuses. */
function filterSum(filter: JobFilter): string {
  const parts = [
    filter.userCompanyId ?? null,
    filter.statuses ? [...new Set(filter.statuses)].sort() : null,
    filter.networkHandle ?? null,
    filter.entity ?? null,
    filter.createdFrom?.getTime() ?? null,
    filter.createdBefore?.getTime() ?? null,
  ];
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 12);
}
