// The entities that have an index, and the columns that their pages are sorted by, the id aside.
import type { FilterEntity, SortedColumn } from '@tradewind/filters';

export const sortedColumns: Readonly<Record<FilterEntity, readonly SortedColumn[]>> = {
  company: [],
  person: [],
  deal: [
    { column: 'announced_date', type: 'date' },
    { column: 'start_date', type: 'date' },
    { column: 'end_date', type: 'date' },
    { column: 'annual_value_amount', type: 'bigint' },
    { column: 'total_value_amount', type: 'bigint' },
    { column: 'title', type: 'text' },
  ],
};

export function isIndexed(entity: string): entity is FilterEntity {
  return Object.hasOwn(sortedColumns, entity);
}

export const indexedEntities = Object.keys(sortedColumns) as FilterEntity[];
