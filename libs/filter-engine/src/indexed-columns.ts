// The columns that an engine holds of each entity: all that filters read and pages are sorted by. The id is always
// there.
import { type ColumnType, dayNumberSql, type FilterEntity, filterFields, microsecondsSql } from '@tradewind/filters';
import type { Entity } from './filter-engine.port.js';
import { sortedColumns } from './sorted-columns.js';

export interface IndexedColumn {
  column: string;
  type: ColumnType;
  /** A list of such values, the words of a text vector, or one value or null. */
  shape: 'one' | 'list' | 'words';
  /** Whether filters ask for intervals of its values, or whether a list has any. */
  isRanged: boolean;
  isSorted: boolean;
  /** SQL over alias `t` of a value that is no column of the table. */
  sql?: string;
}

type Options = Partial<Omit<IndexedColumn, 'column' | 'type'>>;

const column = (
  name: string,
  type: ColumnType,
  { shape = 'one', isRanged = false, isSorted = false, sql }: Options = {},
): IndexedColumn => ({ column: name, type, shape, isRanged, isSorted, ...(sql !== undefined && { sql }) });

/** All addresses of a contact as PostgreSQL's `lower` has them, because other rules for some letters would differ. */
const addressesSql =
  'array(select lower(address) from unnest(t.emails || t.email) as address where address is not null)';

/** The gateway makes the conditions on contacts, not the filters of libs/filters. */
const contactColumns: readonly IndexedColumn[] = [
  ...['person_id', 'company_id', 'user_id', 'import_id'].map((name) => column(name, 'bigint')),
  column('opportunity_ids', 'bigint', { shape: 'list' }),
  column('collection_ids', 'bigint', { shape: 'list', isRanged: true }),
  ...['matching_status', 'sync_source_type', 'sync_source_name'].map((name) => column(name, 'text')),
  ...['has_sync_issues', 'is_contact', 'is_crm', 'is_deleted', 'is_blacklisted', 'is_shared'].map((name) =>
    column(name, 'boolean'),
  ),
  column('owner_id', 'uuid'),
  column('search', 'text', { shape: 'words' }),
  column('addresses', 'text', { shape: 'list', sql: addressesSql }),
  ...sortedColumns.contact.map(({ column: name, type }) =>
    column(name, type, { isRanged: type === 'timestamptz', isSorted: true }),
  ),
];

export const indexedColumns: Readonly<Record<Entity, readonly IndexedColumn[]>> = {
  company: columnsOf('company'),
  person: columnsOf('person'),
  deal: columnsOf('deal'),
  contact: contactColumns,
};

function columnsOf(entity: FilterEntity): readonly IndexedColumn[] {
  const columns = new Map<string, IndexedColumn>();
  const add = (name: string, type: ColumnType, { shape = 'one', isRanged = false, isSorted = false }: Options) => {
    const known = columns.get(name);
    columns.set(name, {
      column: name,
      type,
      shape,
      isRanged: isRanged || (known?.isRanged ?? false),
      isSorted: isSorted || (known?.isSorted ?? false),
    });
  };
  for (const { stored, value, comparisons } of filterFields[entity]) {
    switch (stored.shape) {
      case 'one':
        add(stored.column, stored.type, { isRanged: comparisons.includes('BETWEEN') || value.kind === 'age' });
        break;
      case 'list':
        add(stored.column, stored.type, { shape: 'list' });
        break;
      case 'words':
        add(stored.column, 'text', { shape: 'words' });
        for (const { column: name, isList } of stored.whole) add(name, 'text', { shape: isList ? 'list' : 'one' });
        break;
      case 'status':
        for (const name of [stored.startColumn, stored.endColumn]) add(name, 'date', { isRanged: true });
        break;
    }
  }
  for (const { column: name, type } of sortedColumns[entity]) add(name, type, { isSorted: true });
  columns.delete('id');
  return [...columns.values()];
}

/** Whether the index holds its values as texts; all others are integers of 64 bits. */
export function isText({ type }: Pick<IndexedColumn, 'type'>): boolean {
  return type === 'text' || type === 'uuid';
}

/** SQL of the column as bigint, text, or a list of them, over alias `t`. */
export function columnSql({ column: name, type, shape, sql }: IndexedColumn): string {
  const value = sql ?? `t.${name}`;
  if (shape === 'words') return `tsvector_to_array(${value})`;
  if (shape === 'list') return `${value}::${type}[]`;
  switch (type) {
    case 'bigint':
    case 'text':
      // Some columns have narrower types.
      return `${value}::${type}`;
    case 'uuid':
      return `${value}::text`;
    case 'boolean':
      return `${value}::integer::bigint`;
    case 'date':
      return `(${dayNumberSql(value)})::bigint`;
    case 'timestamptz':
      return microsecondsSql(value);
  }
}

/** SQL of the column as `evaluateFilter` reads it: words are a list. What is no column of a table is over alias `t`. */
export function recordColumnSql(
  { column: name, shape, sql }: Pick<IndexedColumn, 'column' | 'shape' | 'sql'>,
  alias: string,
): string {
  const value = sql ?? `${alias}.${name}`;
  return shape === 'words' ? `tsvector_to_array(${value})` : value;
}
