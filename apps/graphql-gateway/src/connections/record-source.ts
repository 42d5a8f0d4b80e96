// How the fields of a record are read from the columns of its table. Only the columns that a query asks for are read.
import pg from 'pg';
import type { Lookups } from '../dictionaries/dictionaries.service.js';
import type { Cell } from '../data-store/cells-query.js';

/** What a page is read with besides its rows. */
export interface Reading {
  lookups: Lookups;
  /** `YYYY-MM-DD`, UTC. */
  today: string;
}

export interface RecordField {
  columns: readonly [string, ...string[]];
  /** The field's value for the schema, from the cells of its columns. */
  read: (first: Cell, reading: Reading, ...others: Cell[]) => unknown;
  /** The fields of an object that is never null, when each has columns of its own: only those that are selected are read. */
  parts?: Readonly<Record<string, RecordField>>;
}

/** A record type as the connections read it. */
export interface RecordSource {
  /** Table, also the entity of `data_version`. */
  table: 'company' | 'person' | 'deal' | 'contact';
  fields: Readonly<Record<string, RecordField>>;
}

/** Texts, and whatever the wire shows as PostgreSQL writes it: ids and dates. */
export const text = (column: string): RecordField => ({ columns: [column], read: (cell) => cell });

export const number = (column: string): RecordField => ({
  columns: [column],
  read: (cell) => (cell === null ? null : Number(cell)),
});

export const flag = (column: string): RecordField => ({
  columns: [column],
  read: (cell) => (cell === null ? null : cell === 't'),
});

export const json = (column: string): RecordField => ({ columns: [column], read: jsonOf });

/** A list of texts or ids; empty when it is null. */
export const list = (column: string): RecordField => ({ columns: [column], read: listOf });

/** The look-up record that the column points to; null for none, and for one that is not known. */
export const lookup = (column: string, table: (lookups: Lookups) => ReadonlyMap<string, object>): RecordField => ({
  columns: [column],
  read: (id, { lookups }) => (id === null ? null : (table(lookups).get(id) ?? null)),
});

/** Records by the parallel lists of ids and names that the tables keep. */
export const pairs = (ids: string, names: string): RecordField => ({
  columns: [ids, names],
  read: (idsCell, _reading, namesCell) => {
    const nameList = listOf(namesCell);
    return listOf(idsCell).map((id, index) => ({ id, name: nameList[index] ?? null }));
  },
});

/** A record by its id and name; null without an id. */
export const pair = (id: string, name: string): RecordField => ({
  columns: [id, name],
  read: (idCell, _reading, nameCell) => (idCell === null ? null : { id: idCell, name: nameCell }),
});

/** An object of such fields. */
export const object = (parts: Readonly<Record<string, RecordField>>): RecordField => ({
  parts,
  columns: Object.values(parts).flatMap(({ columns }) => [...columns]) as [string, ...string[]],
  read: (first, reading, ...others) => {
    const cells = [first, ...others];
    const read = ({ columns, read: readPart }: RecordField) => {
      const [firstOfPart, ...othersOfPart] = cells.splice(0, columns.length);
      return readPart(firstOfPart!, reading, ...othersOfPart);
    };
    return Object.fromEntries(Object.entries(parts).map(([name, part]) => [name, read(part)]));
  },
});

export function jsonOf(cell: Cell): unknown {
  return cell === null ? null : (JSON.parse(cell) as unknown);
}

// pg's types name the scalar types only.
const textArrayOid: number = 1009;
const parseArray = pg.types.getTypeParser(textArrayOid) as (text: string) => (string | null)[];

export function listOf(cell: Cell): (string | null)[] {
  if (cell === null || cell === '{}') return [];
  // Without quotes there is nothing to unescape.
  return cell.includes('"') || cell.includes('NULL') ? parseArray(cell) : cell.slice(1, -1).split(',');
}

/** The function that reads a field from a row whose columns are these. */
export function fieldReader(
  { columns, read }: RecordField,
  selected: readonly string[],
): (row: readonly Cell[], reading: Reading) => unknown {
  const [first, ...others] = columns.map((column) => selected.indexOf(column));
  if (others.length === 0) return (row, reading) => read(row[first!]!, reading);
  return (row, reading) => read(row[first!]!, reading, ...others.map((at) => row[at]!));
}
