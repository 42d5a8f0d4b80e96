// How the fields of a record are read from the columns of its table. Only the columns that a query asks for are read.
import type { Lookups } from '../dictionaries/dictionaries.service.js';

/** A row of a table by its columns, values as DataStore reads them. */
export type Row = Readonly<Record<string, unknown>>;

/** What is needed to read a page, in addition to its rows. */
export interface Reading {
  lookups: Lookups;
  /** `YYYY-MM-DD`, UTC. */
  today: string;
}

export interface RecordField {
  columns: readonly string[];
  /** The field's value for the schema. */
  read: (row: Row, reading: Reading) => unknown;
  /**
   * The fields of an object that is never null, when each has columns of its own: only those that are selected are
   * read.
   */
  parts?: Readonly<Record<string, RecordField>>;
}

/** A record type as the connections read it. */
export interface RecordSource {
  /** Table, also the entity of `data_version`. */
  table: 'company' | 'person' | 'deal' | 'contact';
  fields: Readonly<Record<string, RecordField>>;
}

/** Whatever the wire shows as it is stored: texts, ids, dates, flags, JSON. */
export const plain = (column: string): RecordField => ({ columns: [column], read: (row) => row[column] });

/** A list of texts or ids; empty when it is null. */
export const list = (column: string): RecordField => ({ columns: [column], read: (row) => listOf(row, column) });

/** The look-up record that the column points to; null for none, and for one that is not known. */
export const lookup = (column: string, table: (lookups: Lookups) => ReadonlyMap<string, object>): RecordField => ({
  columns: [column],
  read: (row, { lookups }) => table(lookups).get(row[column] as string) ?? null,
});

/** Records by the parallel lists of ids and names that the tables keep. */
export const pairs = (ids: string, names: string): RecordField => ({
  columns: [ids, names],
  read: (row) => {
    const nameList = listOf(row, names);
    return listOf(row, ids).map((id, index) => ({ id, name: nameList[index] ?? null }));
  },
});

/** A record by its id and name; null without an id. */
export const pair = (id: string, name: string): RecordField => ({
  columns: [id, name],
  read: (row) => (row[id] === null ? null : { id: row[id], name: row[name] }),
});

/** An object of such fields. */
export const object = (parts: Readonly<Record<string, RecordField>>): RecordField => ({
  columns: Object.values(parts).flatMap(({ columns }) => columns),
  read: (row, reading) => recordOf(Object.entries(parts), row, reading),
  parts,
});

export function listOf(row: Row, column: string): readonly (string | null)[] {
  return (row[column] as readonly (string | null)[] | null) ?? [];
}

/** The record with these of its fields. */
export function recordOf(
  fields: readonly (readonly [name: string, field: RecordField])[],
  row: Row,
  reading: Reading,
): Record<string, unknown> {
  const record: Record<string, unknown> = {};
  for (const [name, field] of fields) record[name] = field.read(row, reading);
  return record;
}
