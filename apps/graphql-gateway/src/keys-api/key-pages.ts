// Lists of keys, a page at a time.
import { pageOf, positionAfter, timeAndId, toCursor } from '@tradewind/service-kit';
import type { ApiKey } from '../api-keys/api-key.entity.js';
import type { ApiKeysService } from '../api-keys/api-keys.service.js';
import type { KeyFilter } from '../api-keys/api-keys.store.js';
import type { PageQueryDto } from './keys.dto.js';

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
