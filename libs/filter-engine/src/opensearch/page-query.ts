// The two searches that answer a query: the page and the count. Both also find the marks of every shard.
import {
  allOf,
  anyOf,
  clauseCount,
  type NormalisedFilter,
  noneOf,
  searchQuery,
  type SearchQuery,
  termOf,
} from '@tradewind/filters';
import type { CursorPosition, FilterQuery, SortKey } from '../filter-engine.port.js';

/** Default of `indices.query.bool.max_clause_count`. */
const clausesMax = 1024;
/** Those of the marks, of the mask, and of a cursor with every sort key. */
const clausesReserved = 64;

export const marks: SearchQuery = { range: { id: { lt: 0 } } };
const ascendingId = [{ id: 'asc' }];

export function isSmallEnough(filter: NormalisedFilter): boolean {
  return clauseCount(searchQuery(filter)) <= clausesMax - clausesReserved;
}

export interface Searches {
  page: object;
  count?: object;
}

/** @param shards at most this many shards answer, each with two marks */
export function searchesOf({ filter, sort, after, limit, isCounted, except }: FilterQuery, shards: number): Searches {
  const matches = allOf([...(filter.conditions.length > 0 ? [searchQuery(filter)] : []), isRecord, ...masks(except)]);
  const [first] = sort;
  const isById = first!.column === 'id' && first!.direction === 'asc';
  const search = (query: SearchQuery, size: number, order: readonly object[]) => ({
    query: { bool: { should: [query, marks] } },
    size: size + 2 * shards,
    sort: order,
    _source: false,
    stored_fields: '_none_',
  });
  return {
    page: {
      ...search(after ? allOf([matches, behind(sort, after)]) : matches, limit, [
        ...(isById ? [] : [{ rank: { order: 'desc', missing: 0 } }]),
        ...sort.map(({ column, direction }) => ({ [column]: { order: direction, missing: '_last' } })),
      ]),
      track_total_hits: false,
    },
    ...(isCounted && { count: { ...search(matches, 0, ascendingId), track_total_hits: true } }),
  };
}

const isRecord: SearchQuery = { range: { id: { gt: 0 } } };

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
