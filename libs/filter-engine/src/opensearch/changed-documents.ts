// What the feeder reads from PostgreSQL. Every statement names the data versions of its snapshot, and documents come as
// JSON text that OpenSearch takes as it is.
import type pg from 'pg';
import type { Entity } from '../filter-engine.port.js';
import { documentSql, sourcesOf, type Versions } from './search-index.js';

export type Queryable = Pick<pg.ClientBase, 'query'>;

export interface RecordDocument {
  id: string;
  /** Null for a record that is deleted. */
  document: string | null;
}

/** Changes are read until they name this many records. */
const changedIdsMax = 5_000;

/**
 * A document with a digest of all its other fields, by which `index check` compares. It ends with `}` and has at least
 * the id.
 */
function documentsSql(entity: Entity, condition: string): string {
  return `select t.id, left(d.document, -1) || ',"digest":' || ${digestSql} || '}' as document
    from ${entity} t cross join lateral (select ${documentSql(entity)} as document offset 0) d ${condition}`;
}

/** Eight bytes of the hash as a number. */
const digestSql = `('x' || left(md5(d.document), 16))::bit(64)::bigint`;

/** Both ends belong to it. */
export interface IdRange {
  first: bigint;
  last: bigint;
}

export interface Documents {
  /** Data versions of the snapshot that the documents are from, in the order of the sources. */
  versions: Versions;
  documents: RecordDocument[];
}

/** The documents of the next records in the order of ids. */
export async function nextDocuments(
  db: Queryable,
  entity: Entity,
  { after, limit }: { after: bigint; limit: number },
): Promise<Documents> {
  const page = documentsSql(entity, 'where t.id > $2::bigint order by t.id limit $3');
  return read(db, entity, page, [String(after), limit]);
}

/** The digests of the records of a range of ids, both ends included. */
export async function digestsBetween(
  db: Queryable,
  entity: Entity,
  { first, last }: IdRange,
): Promise<Map<string, bigint>> {
  const { rows } = await db.query<{ id: string; digest: string }>(
    `select t.id::text as id, ${digestSql} as digest
     from ${entity} t cross join lateral (select ${documentSql(entity)} as document offset 0) d
     where t.id between $1::bigint and $2::bigint`,
    [String(first), String(last)],
  );
  return new Map(rows.map(({ id, digest }) => [id, BigInt(digest)]));
}

/** The documents of these records as they are now. */
export async function documentsOf(db: Queryable, entity: Entity, ids: readonly string[]): Promise<Documents> {
  const some = documentsSql(entity, 'where t.id = any($2::bigint[])');
  const { versions, documents } = await read(db, entity, some, [ids]);
  const byId = new Map(documents.map((each) => [each.id, each]));
  return { versions, documents: ids.map((id) => byId.get(id) ?? { id, document: null }) };
}

/** SQL of the data versions of these tables, in their order. */
const versionsSql = `array(select version::text from data_version where entity = any($1::text[]) order by array_position($1::text[], entity))`;

async function read(db: Queryable, entity: Entity, sql: string, values: readonly unknown[]): Promise<Documents> {
  // Without a record there is still one row, with the versions.
  const { rows } = await db.query<{ versions: string[]; id: string | null; document: string }>(
    `select v.versions, d.id::text as id, d.document from (select ${versionsSql} as versions) v
     left join (${sql}) d on true order by d.id`,
    [sourcesOf(entity), ...values],
  );
  return {
    versions: rows[0]!.versions.map(BigInt),
    documents: rows.flatMap(({ id, document }) => (id === null ? [] : [{ id, document }])),
  };
}

/** The data versions of the sources of an entity now. */
export async function versionsNow(db: Queryable, entity: Entity): Promise<Versions> {
  const { rows } = await db.query<{ versions: string[] }>(`select ${versionsSql} as versions`, [sourcesOf(entity)]);
  return rows[0]!.versions.map(BigInt);
}

/** Of one table. */
export interface KnownChanges {
  outcome: 'known';
  table: Entity;
  /** The newest version when they were read, at least `upTo`. */
  version: bigint;
  upTo: bigint;
  /** The records that changed after the given version, up to `upTo`, unless they are in parts. */
  ids: readonly string[];
  /** How many parts they are in, because one statement changed very many. */
  parts: number;
  /** Whether there are more changes. */
  hasMore: boolean;
}

export type Changes =
  | KnownChanges
  /** The list is incomplete or gone, or the data was restored: everything must be read again. */
  | { outcome: 'unknown' };

// NOTE: the changes are complete only if every version in between has its row; one that was raised by hand has none. A
// statement whose ids are in parts is taken alone.
const changedIdsSql = `
with now as (select version from data_version where entity = $1),
changes as (
  select version, ids, row_number() over (order by version) as place,
    sum(coalesce(cardinality(ids), 0)) over (order by version) - coalesce(cardinality(ids), 0) as before,
    count(*) filter (where ids is null) over (order by version) as unlisted
  from data_change where entity = $1 and version > $2::bigint order by version limit 1000),
taken as (select * from changes where before < ${changedIdsMax} and (unlisted = 0 or place = 1)),
parts as (
  select count(*)::integer as count from data_change_part
  where entity = $1 and version = (select version from taken where ids is null))
select now.version, coalesce(max(taken.version), $2::bigint)::text as up_to, parts.count as parts,
  coalesce(max(taken.version), $2::bigint) < now.version as has_more,
  now.version >= $2::bigint and coalesce(max(taken.version), $2::bigint) - $2::bigint = count(taken.version)
    and (count(taken.version) > 0 or now.version = $2::bigint)
    and (parts.count > 0 or bool_and(taken.version is null or taken.ids is not null)) as is_known,
  array(select distinct unnest(ids)::text from taken) as ids
from now cross join parts left join taken on true group by now.version, parts.count`;

export async function changesSince(db: Queryable, entity: Entity, version: bigint): Promise<Changes> {
  const { rows } = await db.query<{
    version: string;
    up_to: string;
    parts: number;
    has_more: boolean;
    is_known: boolean;
    ids: string[];
  }>(changedIdsSql, [entity, String(version)]);
  const { version: newest, up_to: upTo, parts, has_more: hasMore, is_known: isKnown, ids } = rows[0]!;
  if (!isKnown) return { outcome: 'unknown' };
  return { outcome: 'known', table: entity, version: BigInt(newest), upTo: BigInt(upTo), ids, parts, hasMore };
}

/** The changes of each source of an entity since these versions; undefined when some are not known. */
export async function changesOfSources(
  db: Queryable,
  entity: Entity,
  since: Versions,
): Promise<KnownChanges[] | undefined> {
  const all: KnownChanges[] = [];
  for (const [place, source] of sourcesOf(entity).entries()) {
    const changes = await changesSince(db, source, since[place]!);
    if (changes.outcome === 'unknown') return undefined;
    all.push(changes);
  }
  return all;
}

/** The documents of an entity that these changes of one of its sources have to do with, as they are now; in parts. */
export async function* changedDocuments(
  db: Queryable,
  entity: Entity,
  changes: KnownChanges,
): AsyncGenerator<Documents> {
  for await (const ids of changedIds(db, entity, changes)) yield await documentsOf(db, entity, ids);
}

/** The ids of these documents; in parts. */
export async function* changedIds(
  db: Queryable,
  entity: Entity,
  changes: KnownChanges,
): AsyncGenerator<readonly string[]> {
  for await (const ids of idsInTable(db, changes)) {
    if (changes.table === entity) yield ids;
    else yield* contactsOf(db, ids);
  }
}

async function* idsInTable(
  db: Queryable,
  { table, upTo, ids, parts }: KnownChanges,
): AsyncGenerator<readonly string[]> {
  if (ids.length > 0) yield ids;
  for (let part = 0; part < parts; part++) {
    const { rows } = await db.query<{ ids: string[] }>(
      'select ids::text[] as ids from data_change_part where entity = $1 and version = $2::bigint and part = $3',
      [table, String(upTo), part],
    );
    // It is too old by now; the next look at the changes finds that out, too.
    if (!rows[0]) throw new Error(`Part ${part} of version ${upTo} of ${table} is gone`);
    yield rows[0].ids;
  }
}

/** A contact that gets one of these persons meanwhile is among the changes of contacts. */
async function* contactsOf(db: Queryable, personIds: readonly string[]): AsyncGenerator<readonly string[]> {
  for (let after = '0'; ;) {
    const { rows } = await db.query<{ id: string }>(
      `select id::text as id from contact where person_id = any($1::bigint[]) and id > $2::bigint
       order by contact.id limit ${changedIdsMax}`,
      [personIds, after],
    );
    if (rows.length > 0) yield rows.map(({ id }) => id);
    if (rows.length < changedIdsMax) return;
    after = rows.at(-1)!.id;
  }
}

/** About how many records there are. */
export async function estimatedCount(db: Queryable, entity: Entity): Promise<number> {
  const { rows } = await db.query<{ total: string }>(
    'select greatest(reltuples, 0)::bigint as total from pg_class where oid = $1::regclass',
    [entity],
  );
  return Number(rows[0]!.total);
}
