// Which queries the index can answer, by the query alone. How much work one is, only its evaluation finds out
// (work-limit.ts).
import type { Condition } from '@tradewind/filters';
import type { Entity, FilterQuery } from '../filter-engine.port.js';
import { filterSize } from '../filter-size.js';
import { indexedColumns } from '../indexed-columns.js';

/** Values, words and bounds of one filter. */
const valuesMax = 2_000;
/** More than there are columns to sort by. */
const sortKeysMax = 20;
/** Ids of one page. */
const limitMax = 5_000;

const namesOf = (entity: Entity): ReadonlySet<string> => new Set(indexedColumns[entity].map(({ column }) => column));

const columnNames: Record<Entity, ReadonlySet<string>> = {
  company: namesOf('company'),
  person: namesOf('person'),
  deal: namesOf('deal'),
  contact: namesOf('contact'),
};

/** Whether the index holds all columns that the query reads, and the query is small enough. */
export function isAnswerable({ filter, sort, limit }: Pick<FilterQuery, 'filter' | 'sort' | 'limit'>): boolean {
  const names = columnNames[filter.entity];
  const isKnown = (column: string) => column === 'id' || names.has(column);
  const isHeld = (condition: Condition, isInner = false): boolean => {
    switch (condition.op) {
      case 'nothing':
        return true;
      case 'in':
      case 'inRanges':
      case 'overlaps':
      case 'containsAll':
      case 'hasElementIn':
      case 'words':
        return isKnown(condition.column);
      case 'wholeText':
        return condition.columns.every(({ column }) => isKnown(column));
      case 'status':
        return isKnown(condition.startColumn) && isKnown(condition.endColumn);
      case 'either':
        // Each level holds a set of rows.
        return !isInner && condition.conditions.every((each) => isHeld(each, true));
    }
  };
  return (
    limit <= limitMax &&
    sort.length <= sortKeysMax &&
    filter.conditions.every((each) => isHeld(each)) &&
    filterSize(filter) <= valuesMax
  );
}
