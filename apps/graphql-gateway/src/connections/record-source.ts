// How the fields of a record are read from the columns of its table. Only the columns that a query asks for are read.
import type { Lookups } from '../dictionaries/dictionaries.service.js';

/** A row of a page: the values of `pageColumns` in their order, as DataStore reads them. */
export type Row = readonly unknown[];

/** What is needed to read a page, in addition to its rows. */
export interface Reading {
  lookups: Lookups;
  /** `YYYY-MM-DD`, UTC. */
  today: string;
}

/** Positions of columns in a row; -1 for a column that was not read. */
export type Positions = readonly number[];

export interface RecordField {
  columns: readonly string[];
  /** The field's value for the schema. `at` has the positions of the columns in the row. */
  read: (row: Row, at: Positions, reading: Reading) => unknown;
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
export const plain = (column: string): RecordField => ({ columns: [column], read: (row, at) => row[at[0]!] });

/** A list of texts or ids; empty when it is null. */
export const list = (column: string): RecordField => ({
  columns: [column],
  read: (row, at) => listOf(row[at[0]!]),
});

/** The look-up record that the column points to; null for none, and for one that is not known. */
export const lookup = (column: string, table: (lookups: Lookups) => ReadonlyMap<string, object>): RecordField => ({
  columns: [column],
  read: (row, at, { lookups }) => table(lookups).get(row[at[0]!] as string) ?? null,
});

/** Records by the parallel lists of ids and names that the tables keep. */
export const pairs = (ids: string, names: string): RecordField => ({
  columns: [ids, names],
  read: (row, at) => {
    const nameList = listOf(row[at[1]!]);
    return listOf(row[at[0]!]).map((id, index) => ({ id, name: nameList[index] ?? null }));
  },
});

/** A record by its id and name; null without an id. */
export const pair = (id: string, name: string): RecordField => ({
  columns: [id, name],
  read: (row, at) => (row[at[0]!] === null ? null : { id: row[at[0]!], name: row[at[1]!] }),
});

/** An object of such fields. */
export const object = (parts: Readonly<Record<string, RecordField>>): RecordField => ({
  columns: Object.values(parts).flatMap(({ columns }) => columns),
  read: (row, at, reading) => {
    let from = 0;
    const fields = Object.entries(parts).map(
      ([name, field]) => [name, field, at.slice(from, (from += field.columns.length))] as const,
    );
    return recordOf(fields, row, reading);
  },
  parts,
});

export function listOf(value: unknown): readonly (string | null)[] {
  return (value as readonly (string | null)[] | null) ?? [];
}

/** The record with these of its fields. */
export function recordOf(
  fields: readonly (readonly [name: string, field: RecordField, at: Positions])[],
  row: Row,
  reading: Reading,
): Record<string, unknown> {
  const record: Record<string, unknown> = {};
  for (const [name, field, at] of fields) record[name] = field.read(row, at, reading);
  return record;
}
