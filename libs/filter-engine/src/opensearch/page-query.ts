// The searches that answer a query: the page with the count, and for contacts what is asked of changed persons. Each
// also finds the marks of every shard. One search for page and count reads the records that match once. Where a page
// needs few of them, the count has a search of its own.
import {
  allOf,
  anyOf,
  clauseCount,
  everything,
  leftOutBy,
  noneOf,
  relatedQuery,
  searchQuery,
  type SearchQuery,
  termOf,
} from '@tradewind/filters';
import type {
  AnswerableQuery,
  CursorPosition,
  Entity,
  FilterQuery,
  PersonQuery,
  SortKey,
} from '../filter-engine.port.js';
import { marks, marksPerShard, personField } from './search-index.js';

/** Default of `indices.query.bool.max_clause_count`. */
const clausesMax = 1024;
/** Those of the marks, of the mask, and of a cursor with every sort key. */
const clausesReserved = 64;

const ascendingId = [{ id: 'asc' }];

export function isSmallEnough({ filter, person }: Pick<AnswerableQuery, 'filter' | 'person'>): boolean {
  const clauses =
    clauseCount(searchQuery(filter)) + (person ? clauseCount(relatedQuery(person.filter, personField)) : 0);
  return clauses <= clausesMax - clausesReserved;
}

export interface Search {
  entity: Entity;
  body: object;
}

export interface Searches {
  /** Its total is the count, unless there are searches for that. */
  page: Search;
  /** The count is the total of the first one, less that of the second one. */
  counts: readonly Search[];
  /** Which of the persons that the caller asks for satisfy the filter. */
  persons?: Search;
}

/**
 * @param shardsOf at most this many shards of an index answer, each with its marks
 * @param idsFrom only for pages: no record with a smaller id
 */
export function searchesOf(query: FilterQuery, shardsOf: (entity: Entity) => number, idsFrom?: bigint): Searches {
  const { filter, person, sort, after, limit, isCounted, except } = query;
  const { entity } = filter;
  const matches = allOf([
    ...(filter.conditions.length > 0 ? [searchQuery(filter)] : []),
    ...(person ? [ofPerson(person)] : []),
    ...masks(except),
  ]);
  const search = (of: Entity, asked: SearchQuery, size: number, order: readonly object[], isTotal: boolean) => ({
    entity: of,
    body: {
      // All records and all marks; OpenSearch has counted these.
      query: asked === everything ? everything : { bool: { should: [asked, marks(of)] } },
      size: size + marksPerShard(of) * shardsOf(of),
      sort: order,
      _source: false,
      stored_fields: '_none_',
      track_total_hits: isTotal,
    },
  });
  const isById = beginsWithId(sort, 'asc');
  const order = [
    ...(isById ? [] : [{ rank: { order: 'desc', missing: 0 } }]),
    ...sort.map(({ column, direction }) => ({ [column]: { order: direction, missing: '_last' } })),
  ];
  const ofPage = allOf([
    matches,
    ...(after ? [behind(sort, after)] : []),
    ...(idsFrom === undefined ? [] : [{ range: { id: { gte: String(idsFrom) } } }]),
  ]);
  // A page in the order of ids reads few records. So a filter that only leaves records out is counted by these.
  const leftOut = isById ? leftOutBy(matches) : undefined;
  const isApart = after !== null || idsFrom !== undefined || leftOut !== undefined;
  const counted = leftOut ? [everything, leftOut] : [matches];
  return {
    page: search(entity, ofPage, limit, order, isCounted && !isApart),
    counts: isCounted && isApart ? counted.map((each) => search(entity, each, 0, ascendingId, true)) : [],
    ...(person &&
      person.asked.length > 0 && {
        persons: search('person', askedOf(person), person.asked.length, ascendingId, false),
      }),
  };
}

export function beginsWithId([first]: readonly SortKey[], direction: SortKey['direction']): boolean {
  return first?.column === 'id' && first.direction === direction;
}

/** Contacts whose person satisfies the filter. What their documents have of a person that changed is not read. */
function ofPerson({ filter, except, matching }: PersonQuery): SearchQuery {
  const byDocument = relatedQuery(filter, personField);
  if (except.length === 0) return byDocument;
  const among = (ids: readonly bigint[]) => ({ terms: { person_id: ids.map(String) } });
  const unchanged = allOf([byDocument, noneOf([among(except)])]);
  return matching.length === 0 ? unchanged : anyOf([unchanged, among(matching)]);
}

/** The caller knows itself whether persons that changed satisfy the filter. */
function askedOf({ filter, asked, except }: PersonQuery): SearchQuery {
  return allOf([{ terms: { id: asked.map(String) } }, searchQuery(filter), ...masks(except)]);
}

/** The same array comes with many queries. */
const keptMasks = new WeakMap<readonly bigint[], readonly SearchQuery[]>();

function masks(except: readonly bigint[]): readonly SearchQuery[] {
  if (except.length === 0) return [];
  let mask = keptMasks.get(except);
  if (!mask) keptMasks.set(except, (mask = [noneOf([{ terms: { id: except.map(String) } }])]));
  return mask;
}

/** The records behind the position: disjoint ranges, as in the statement of a page; nulls are last. */
function behind(sort: readonly SortKey[], position: CursorPosition): SearchQuery {
  const parts: SearchQuery[] = [];
  const equal: SearchQuery[] = [];
  for (const [index, key] of sort.entries()) {
    const { column, direction, isNullable } = key;
    const value = position[index] ?? null;
    const isNull = noneOf([{ exists: { field: column } }]);
    if (value === null) {
      equal.push(isNull);
      continue;
    }
    const term = termOf(key.type)(value);
    parts.push(allOf([...equal, { range: { [column]: { [direction === 'asc' ? 'gt' : 'lt']: term } } }]));
    if (isNullable) parts.push(allOf([...equal, isNull]));
    equal.push({ term: { [column]: term } });
  }
  return anyOf(parts);
}
