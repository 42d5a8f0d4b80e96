// The fields of an OpenSearch index over a data table, and how their values are made from a row. PostgreSQL builds the
// document as JSON text. So the words are those of the table's own tsvector, and integers of 64 bits stay exact.
import { type FilterEntity, filterFields, type Stored, type ValueType } from './filter-fields.js';

/** Days and instants (microseconds) are numbers, so that one range serves dates, amounts and counts. */
export type SearchFieldKind = 'number' | 'day' | 'instant' | 'keyword' | 'keywords' | 'ids' | 'words' | 'sortText';

export interface SearchField {
  column: string;
  kind: SearchFieldKind;
  /** Whether the list of ids is asked for by order, too. */
  hasRanges: boolean;
  isSorted: boolean;
  /** SQL over alias `t` of a value that is no column of the table. */
  sql?: string;
}

/** The record that a document's record belongs to, as an object of the document. */
export interface RelatedRecord {
  /** Name of the object. */
  field: string;
  table: FilterEntity;
  /** Column of the document's record with the id of the related one. */
  idColumn: string;
  fields: readonly SearchField[];
}

/** In the object of a related record: it is there, whatever its fields are. */
export const isThere = 'is_there';

/** A column that pages are sorted by. */
export interface SortedColumn {
  column: string;
  type: 'date' | 'bigint' | 'text' | 'timestamptz';
}

// Lucene refuses terms of more than 32,766 bytes. A longer text equals no value of a filter, so it is left out.
const keywordCharsMax = 8191;

/** Texts that pages are sorted by are cut here, so two texts of this length may be equal in the index alone. */
export const sortTextCharsMax = 8000;

/**
 * The fields that the entity's filters read, by column, and those that its pages are sorted by. The id is always there.
 */
export function searchFields(entity: FilterEntity, sorted: readonly SortedColumn[] = []): readonly SearchField[] {
  const fields = new Map<string, SearchField>();
  const add = (column: string, kind: SearchFieldKind, { hasRanges = false, isSorted = false } = {}) => {
    const known = fields.get(column);
    fields.set(column, {
      column,
      kind,
      hasRanges: hasRanges || (known?.hasRanges ?? false),
      isSorted: isSorted || (known?.isSorted ?? false),
    });
  };
  for (const { stored, value, comparisons } of filterFields[entity]) {
    switch (stored.shape) {
      case 'one':
        add(stored.column, kindOfOne(stored, value));
        break;
      case 'list':
        add(stored.column, stored.type === 'bigint' ? 'ids' : 'keywords', {
          hasRanges: comparisons.includes('BETWEEN'),
        });
        break;
      case 'words':
        add(stored.column, 'words');
        for (const { column, isList } of stored.whole) add(column, isList ? 'keywords' : 'keyword');
        break;
      case 'status':
        add(stored.startColumn, 'day');
        add(stored.endColumn, 'day');
        break;
    }
  }
  for (const { column, type } of sorted) add(column, sortedKinds[type], { isSorted: true });
  // Every document has its id, which is also a filter field of deals.
  fields.delete('id');
  return [...fields.values()];
}

const sortedKinds: Record<SortedColumn['type'], SearchFieldKind> = {
  date: 'day',
  bigint: 'number',
  text: 'sortText',
  timestamptz: 'instant',
};

function kindOfOne({ type }: Stored & { shape: 'one' }, { kind }: ValueType): SearchFieldKind {
  if (type === 'date') return 'day';
  return kind === 'integer' || kind === 'money' ? 'number' : 'keyword';
}

type Mapping = Record<string, unknown>;

/**
 * Properties of the index mapping. Texts have doc values only where they are sorted by. Numbers have them for ranges,
 * too: beside a condition that few records satisfy, Lucene then looks at those alone.
 */
export function searchMapping(fields: readonly SearchField[]): Mapping {
  const properties: Mapping = { id: { type: 'long' } };
  for (const { column, kind, hasRanges, isSorted } of fields) {
    const number = { type: 'long' };
    const keyword = { type: 'keyword', doc_values: isSorted, ignore_above: keywordCharsMax };
    if (kind === 'number' || kind === 'day' || kind === 'instant') properties[column] = number;
    else if (hasRanges) properties[column] = { ...keyword, fields: { number } };
    else properties[column] = keyword;
  }
  return properties;
}

/** Properties of the object of a related record. */
export function relatedMapping(fields: readonly SearchField[]): Mapping {
  const { id, ...properties } = searchMapping(fields);
  void id;
  return { ...properties, [isThere]: { type: 'boolean', doc_values: false } };
}

/** SQL of a row's document as JSON text, over alias `t`. Fields without a value are absent. */
export function searchDocumentSql(fields: readonly SearchField[], related?: RelatedRecord): string {
  const pairs = [`'id', t.id`, ...fields.map((field) => pairSql(field, 't'))];
  if (related) pairs.push(`'${related.field}', (${relatedSql(related)})`);
  return `json_strip_nulls(json_build_object(${pairs.join(', ')}))::text`;
}

function relatedSql({ table, idColumn, fields }: RelatedRecord): string {
  const pairs = [`'${isThere}', true`, ...fields.map((field) => pairSql(field, 'r'))];
  return `select json_build_object(${pairs.join(', ')}) from ${table} r where r.id = t.${idColumn}`;
}

function pairSql({ column, kind, sql = column }: SearchField, alias: string): string {
  return `'${column}', ${valueSql(sql === column ? `${alias}.${column}` : sql, kind)}`;
}

function valueSql(column: string, kind: SearchFieldKind): string {
  switch (kind) {
    case 'number':
    case 'keywords':
      return column;
    case 'keyword':
      return `${column}::text`;
    case 'sortText':
      return `left(${column}, ${sortTextCharsMax})`;
    case 'ids':
      return `${column}::text[]`;
    case 'words':
      return `tsvector_to_array(${column})`;
    case 'day':
      return dayNumberSql(column);
    case 'instant':
      return microsecondsSql(column);
  }
}

/** SQL of a date as days since 1970-01-01. Infinite dates have no distance. */
export function dayNumberSql(date: string): string {
  return `case when isfinite(${date}) then ${date} - date '1970-01-01' when ${date} > 'epoch' then 2147483647 when ${date} < 'epoch' then -2147483648 end`;
}

/** SQL of an instant as microseconds since 1970. The extremes of 64 bits stand for the infinite instants. */
export function microsecondsSql(instant: string): string {
  return `case when isfinite(${instant}) then (extract(epoch from ${instant}) * 1000000)::bigint when ${instant} > 'epoch' then ${2n ** 63n - 1n} when ${instant} < 'epoch' then -${2n ** 63n - 1n} end`;
}
