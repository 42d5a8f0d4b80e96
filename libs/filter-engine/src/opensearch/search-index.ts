// How an index of records lies in OpenSearch. Every shard has two documents beside its records, `from` and `to`. A
// search that sees them knows what it saw: all changes up to `from`, and none after `to`. This holds because one writer
// writes in this order, each step acknowledged: `to`, the records, `from`. A refresh of a shard shows all of its writes
// up to a moment. Their id is negative and holds the data version, so they come first in the order of ids.
// A contact's document also has what filters read of its person. So that index follows the changes of both tables, and
// has both marks of each. Marks name the schema of the documents: nobody takes an index for what it is not.
import { createHash } from 'node:crypto';
import {
  type RelatedRecord,
  relatedMapping,
  type SearchField,
  type SearchQuery,
  searchDocumentSql,
  searchFields,
  searchMapping,
} from '@tradewind/filters';
import type { Entity } from '../filter-engine.port.js';
import { type IndexedColumn, indexedColumns } from '../indexed-columns.js';
import { sortedColumns } from '../sorted-columns.js';

/** The name that searches use; it points to one index. */
export function aliasOf(prefix: string, entity: Entity): string {
  return `${prefix}-${entity}`;
}

/** Where builds keep how far they are. */
export function buildsIndexOf(prefix: string): string {
  return `${prefix}-builds`;
}

/** The tables that the documents of an entity are made from; its own is the first. */
export function sourcesOf(entity: Entity): readonly Entity[] {
  return entity === 'contact' ? ['contact', 'person'] : [entity];
}

export function fieldsOf(entity: Entity): readonly SearchField[] {
  if (entity !== 'contact') return searchFields(entity, sortedColumns[entity]);
  return indexedColumns.contact.map((each) => ({
    column: each.column,
    kind: kindOf(each),
    hasRanges: each.isRanged,
    isSorted: each.isSorted,
    ...(each.sql !== undefined && { sql: each.sql }),
  }));
}

/** Object of a contact's document. */
export const personField = 'person';

function relatedOf(entity: Entity): RelatedRecord | undefined {
  if (entity !== 'contact') return undefined;
  return { field: personField, table: 'person', idColumn: 'person_id', fields: searchFields('person') };
}

/** SQL of a record's document as JSON text, over alias `t`. */
export const documentSql = (entity: Entity): string => searchDocumentSql(fieldsOf(entity), relatedOf(entity));

function mappingOf(entity: Entity): Record<string, unknown> {
  const related = relatedOf(entity);
  return {
    ...searchMapping(fieldsOf(entity)),
    ...(related && { [related.field]: { properties: relatedMapping(related.fields) } }),
    digest: { type: 'long', index: false },
    rank: { type: 'byte', index: false },
    schema: { type: 'keyword', doc_values: false },
  };
}

const schemas = new Map<Entity, string>();

/** Which fields the documents have and how they are made: another text for any other. */
export function schemaOf(entity: Entity): string {
  let schema = schemas.get(entity);
  if (schema === undefined) {
    const made = JSON.stringify([mappingOf(entity), documentSql(entity)]);
    schemas.set(entity, (schema = createHash('sha256').update(made).digest('hex').slice(0, 16)));
  }
  return schema;
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
      // The parts of a shard are searched side by side. On two cores this takes a third off the time of broad filters.
      'search.concurrent_segment_search.mode': 'all',
      // Filters differ too much to be worth keeping.
      'queries.cache.enabled': false,
    },
    mappings: {
      dynamic: 'strict',
      _source: { enabled: false },
      properties: mappingOf(entity),
    },
  };
}

export const refreshInterval = '1s';

/** Data versions of the sources of an entity, in their order. */
export type Versions = readonly bigint[];

/** A document of each shard, for each source; its id, with the routing that leads to the shard. */
export interface Mark {
  kind: 'from' | 'to';
  source: Entity;
  routing: string;
}

export function markId(entity: Entity, { kind, source, routing }: Mark): string {
  return `${kind}-${source}-${schemaOf(entity)}-${routing}`;
}

export const marksPerShard = (entity: Entity): number => 2 * sourcesOf(entity).length;

export function marks(entity: Entity): SearchQuery {
  return { term: { schema: schemaOf(entity) } };
}

/** How many values the schema has in the id of a mark. Versions are below 2^36 then, which no database reaches. */
const schemaValues = 1n << 24n;
const schemaValueOf = (entity: Entity): bigint => BigInt(`0x${schemaOf(entity)}`) % schemaValues;

/**
 * The document of a mark; `rank` puts it first in orders that do not begin with the id. The id has the schema, too:
 * filters such as "none of" match the marks of any schema, and hits have nothing but ids.
 */
export function markDocument(entity: Entity, { kind, source }: Mark, version: bigint): string {
  const place = 2 * sourcesOf(entity).indexOf(source) + (kind === 'from' ? 0 : 1);
  const made = version * schemaValues + schemaValueOf(entity);
  const id = -(BigInt(marksPerShard(entity)) * made + BigInt(place)) - 2n;
  return `{"id":${id},"rank":1,"schema":"${schemaOf(entity)}"}`;
}

export interface SeenVersions {
  /** All shards show every change up to these. */
  from: Versions;
  /** No shard shows a later change. */
  to: Versions;
}

/**
 * What a search saw, by the ids of the marks among its hits.
 * @returns undefined unless every shard has all of its marks, of this schema
 */
export function seenVersions(entity: Entity, markIds: readonly bigint[], shards: number): SeenVersions | undefined {
  const perShard = BigInt(marksPerShard(entity));
  const found = markIds
    .map((id) => ({ place: Number((-id - 2n) % perShard), made: (-id - 2n) / perShard }))
    .filter(({ made }) => made % schemaValues === schemaValueOf(entity))
    .map(({ place, made }) => ({ place, version: made / schemaValues }));
  const versionsAt = (place: number) => found.filter((each) => each.place === place).map(({ version }) => version);
  const sources = sourcesOf(entity).map((_, place) => ({
    froms: versionsAt(2 * place),
    tos: versionsAt(2 * place + 1),
  }));
  if (shards === 0 || sources.some(({ froms, tos }) => froms.length !== shards || tos.length !== shards))
    return undefined;
  return { from: sources.map(({ froms }) => least(froms)), to: sources.map(({ tos }) => most(tos)) };
}

export const least = (versions: Versions): bigint => versions.reduce((a, b) => (b < a ? b : a));
export const most = (versions: Versions): bigint => versions.reduce((a, b) => (b > a ? b : a));
