// How an index of records lies in OpenSearch. Every shard has two documents beside its records, `from` and `to`. A
// search that sees them knows what it saw: all changes up to `from`, and none after `to`. This holds because one writer
// writes in this order, each step acknowledged: `to`, the records, `from`. A refresh of a shard shows all of its writes
// up to a moment. Their id is negative and holds the data version, so they come first in the order of ids.
import { type SearchField, searchFields, searchMapping } from '@tradewind/filters';
import type { Entity } from '../filter-engine.port.js';
import { type IndexedColumn, indexedColumns } from '../indexed-columns.js';
import { sortedColumns } from '../sorted-columns.js';

/** The name that searches use; it points to one index. */
export function aliasOf(prefix: string, entity: Entity): string {
  return `${prefix}-${entity}`;
}

export function fieldsOf(entity: Entity): readonly SearchField[] {
  if (entity !== 'contact') return searchFields(entity, sortedColumns[entity]);
  return indexedColumns.contact
    .filter(({ sql }) => sql === undefined)
    .map((each) => ({
      column: each.column,
      kind: kindOf(each),
      hasRanges: each.isRanged,
      isSorted: each.isSorted,
    }));
}

function kindOf({ type, shape, isRanged, isSorted }: IndexedColumn): SearchField['kind'] {
  if (shape === 'words') return 'words';
  if (shape === 'list') return type === 'bigint' ? 'ids' : 'keywords';
  if (type === 'date') return 'day';
  if (type === 'timestamptz') return 'instant';
  if (!isRanged && !isSorted) return 'keyword';
  return type === 'text' ? 'sortText' : 'number';
}

export function indexBody(entity: Entity, options: { shards: number; replicas: number }): object {
  return {
    settings: {
      number_of_shards: options.shards,
      number_of_replicas: options.replicas,
      // Pages in the order of ids end after their last record.
      'sort.field': 'id',
      // A shard that nobody searches is refreshed, too, because the interval is set.
      refresh_interval: refreshInterval,
      // The version of a deleted document is remembered this long, so that no write on its way brings it back.
      gc_deletes: '1h',
      // Filters differ too much to be worth keeping.
      'queries.cache.enabled': false,
    },
    mappings: {
      dynamic: 'strict',
      _source: { enabled: false },
      properties: {
        ...searchMapping(fieldsOf(entity)),
        digest: { type: 'long', index: false },
        rank: { type: 'byte', index: false },
      },
    },
  };
}

export const refreshInterval = '1s';

/** The two documents of each shard; their ids, with the routing that leads to the shard. */
export interface Mark {
  kind: 'from' | 'to';
  routing: string;
}

export function markId({ kind, routing }: Mark): string {
  return `${kind}-${routing}`;
}

/** The document of a mark; `rank` puts it first in orders that do not begin with the id. */
export function markDocument({ kind }: Mark, version: bigint): string {
  return `{"id":${kind === 'from' ? -2n * version - 2n : -2n * version - 3n},"rank":1}`;
}

export interface SeenVersions {
  /** All shards show every change up to this version. */
  from: bigint;
  /** No shard shows a later change. */
  to: bigint;
}

/**
 * What a search saw, by the ids of the marks among its hits.
 * @returns undefined unless every shard has both of its marks
 */
export function seenVersions(markIds: readonly bigint[], shards: number): SeenVersions | undefined {
  const froms = markIds.filter((id) => id % 2n === 0n).map((id) => (-id - 2n) / 2n);
  const tos = markIds.filter((id) => id % 2n !== 0n).map((id) => (-id - 3n) / 2n);
  if (shards === 0 || froms.length !== shards || tos.length !== shards) return undefined;
  return {
    from: froms.reduce((least, each) => (each < least ? each : least)),
    to: tos.reduce((most, each) => (each > most ? each : most)),
  };
}
