// Lists of keys and of what happened to one, a page at a time.
import { pageOf, positionAfter, timeAndId, toCursor } from '@tradewind/service-kit';
import type { ApiKey } from '../api-keys/api-key.entity.js';
import type { ApiKeysService } from '../api-keys/api-keys.service.js';
import type { KeyFilter } from '../api-keys/api-keys.store.js';
import type { AuditLogStore } from '../api-keys/audit-log.store.js';
import { type KeyEventsDto, type PageQueryDto, toKeyEventDto } from './keys.dto.js';

/** Throws 400 for a cursor of another list. */
export async function keyPage(
  keys: ApiKeysService,
  filter: KeyFilter,
  { limit, cursor }: PageQueryDto,
): Promise<{ page: ApiKey[]; next_cursor: string | null }> {
  const after = positionAfter(cursor, filter, timeAndId);
  const rows = await keys.list(filter, {
    limit: limit + 1,
    after: after && { createdAt: after.time, id: after.id },
  });
  return pageOf(rows, limit, ({ createdAt, id }) => toCursor([createdAt.getTime(), id], filter));
}

/** Newest first. Throws 400 for a cursor of another list. */
export async function eventPage(
  audit: AuditLogStore,
  key: Pick<ApiKey, 'id'>,
  { limit, cursor }: PageQueryDto,
): Promise<KeyEventsDto> {
  const filter = { events: key.id };
  const after = positionAfter(cursor, filter, timeAndNumber);
  const rows = await audit.listOfKey(key.id, { limit: limit + 1, after });
  const { page, next_cursor } = pageOf(rows, limit, (entry) => toCursor([entry.at.getTime(), entry.id!], filter));
  return { events: page.map(toKeyEventDto), next_cursor };
}

/** The position of an entry: its time, and its number as text because it may exceed what JSON numbers hold. */
function timeAndNumber([time, id, ...rest]: unknown[]): { at: Date; id: string } | undefined {
  if (!Number.isSafeInteger(time) || Math.abs(time as number) > 8.64e15 || rest.length > 0) return undefined;
  return typeof id === 'string' && /^\d{1,18}$/.test(id) ? { at: new Date(time as number), id } : undefined;
}
