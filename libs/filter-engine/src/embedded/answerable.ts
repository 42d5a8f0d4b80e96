// Which queries the index can answer, by the query alone. How much work one is, only its evaluation finds out
// (work-limit.ts).
import type { NormalisedFilter } from '@tradewind/filters';
import type { AnswerableQuery, Entity } from '../filter-engine.port.js';
import { filterSize } from '../filter-size.js';
import { indexedColumns } from '../indexed-columns.js';
import { readColumns } from '../read-columns.js';

/** Values, words and bounds of one filter. */
const valuesMax = 2_000;
/** More than there are columns to sort by. */
const sortKeysMax = 20;
/** Ids of one page. */
const limitMax = 5_000;

const namesOf = (entity: Entity): ReadonlySet<string> =>
  new Set(['id', ...indexedColumns[entity].map(({ column }) => column)]);

const columnNames: Record<Entity, ReadonlySet<string>> = {
  company: namesOf('company'),
  person: namesOf('person'),
  deal: namesOf('deal'),
  contact: namesOf('contact'),
};

/** Whether the index holds all columns that the query reads, and the query is small enough. */
export function isAnswerable({ filter, person, sort, limit }: AnswerableQuery): boolean {
  if (person && (filter.entity !== 'contact' || person.filter.entity !== 'person')) return false;
  const filters = person ? [filter, person.filter] : [filter];
  return (
    limit <= limitMax &&
    sort.length <= sortKeysMax &&
    filters.every(isHeld) &&
    filters.reduce((sum, each) => sum + filterSize(each), 0) <= valuesMax
  );
}

function isHeld(filter: NormalisedFilter): boolean {
  // Each level holds a set of rows.
  const isFlat = filter.conditions.every(
    (condition) => condition.op !== 'either' || condition.conditions.every(({ op }) => op !== 'either'),
  );
  return isFlat && readColumns(filter).every((column) => columnNames[filter.entity].has(column));
}
