// What deals can be sorted by (DECISIONS.md, Commercial data): announcedDate, startDate, endDate, annualValue,
// totalValue, title, id. Money sorts by its amount in units.
import { shown } from '@tradewind/filters';
import type { SortKey } from '../../connections/page-order.js';
import { userInputError } from '../../request/graphql-errors.js';

type Column = Pick<SortKey, 'column' | 'type' | 'isNullable'>;

const sortable: Readonly<Record<string, Column>> = {
  announcedDate: { column: 'announced_date', type: 'date', isNullable: true },
  startDate: { column: 'start_date', type: 'date', isNullable: true },
  endDate: { column: 'end_date', type: 'date', isNullable: true },
  annualValue: { column: 'annual_value_amount', type: 'bigint', isNullable: true },
  totalValue: { column: 'total_value_amount', type: 'bigint', isNullable: true },
  title: { column: 'title', type: 'text', isNullable: false },
  id: { column: 'id', type: 'bigint', isNullable: false },
};

/** @throws BAD_USER_INPUT naming the sorter and what would be right. */
export function parseDealSorters(sorters: readonly Record<string, unknown>[] | null | undefined): SortKey[] {
  const keys: SortKey[] = [];
  for (const [index, sorter] of (sorters ?? []).entries()) {
    const { field, direction = 'ASC', ...rest } = sorter;
    const path = `sorters[${index}]`;
    const [unknownKey] = Object.keys(rest);
    if (unknownKey !== undefined)
      throw userInputError(`${path}: a sorter has field and direction, not ${shown(unknownKey)}`);
    if (typeof field !== 'string' || !Object.hasOwn(sortable, field)) {
      throw userInputError(`${path}.field must be one of ${Object.keys(sortable).join(', ')}, not ${shown(field)}`);
    }
    if (direction !== 'ASC' && direction !== 'DESC') {
      throw userInputError(`${path}.direction must be ASC or DESC, not ${shown(direction)}`);
    }
    const column = sortable[field]!;
    if (keys.some((key) => key.column === column.column))
      throw userInputError(`${path}: ${field} is sorted by already`);
    keys.push({ ...column, direction: direction === 'ASC' ? 'asc' : 'desc' });
  }
  // Ids are unique, so keys after the id have no effect.
  const idIndex = keys.findIndex(({ column }) => column === sortable['id']!.column);
  return idIndex === -1 ? keys : keys.slice(0, idIndex + 1);
}
