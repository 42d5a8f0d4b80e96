// Checks rows against their table before they are sent. Every warehouse then refuses the same rows for the same
// reasons, and one bad row does not make others fail.
import {
  warehouseTables,
  type Column,
  type RunTable,
  type WarehouseRows,
  type WarehouseTable,
} from './warehouse-tables.js';

export interface EncodedRow {
  row_id: string;
  /** JSON values only: timestamps as ISO text, `json` columns as they are. Exactly the table's columns. */
  values: Record<string, unknown>;
}

export interface CheckedRows {
  /**
   * Each `row_id` once, ascending: parallel appends lock rows in the same order and cannot deadlock.
   */
  accepted: EncodedRow[];
  rejected: { row_id: string; reason: string }[];
}

/** The columns of a table that RunItem has. */
export function itemColumnsOf(table: RunTable): [string, Column][] {
  return columnsOf(table).filter(([, { type }]) => type !== 'json');
}

/** The columns of a table with their types. */
export function columnsOf(table: WarehouseTable): [string, Column][] {
  return Object.entries<Column>(warehouseTables[table]);
}

export function checkRows<T extends WarehouseTable>(table: T, rows: readonly WarehouseRows[T][]): CheckedRows {
  const columns = columnsOf(table);
  const accepted = new Map<string, EncodedRow>();
  const rejected: CheckedRows['rejected'] = [];
  for (const row of rows) {
    const { row_id } = row;
    const fault = faultOf(row, columns);
    if (fault !== undefined) rejected.push({ row_id: String(row_id), reason: fault });
    else if (!accepted.has(row_id)) {
      const values = encode(row, columns);
      if (values) accepted.set(row_id, { row_id, values });
      else rejected.push({ row_id, reason: 'a value cannot be written as JSON' });
    }
  }
  return { accepted: [...accepted.values()].sort((a, b) => (a.row_id < b.row_id ? -1 : 1)), rejected };
}

function faultOf(row: object, columns: [string, Column][]): string | undefined {
  const values = row as Record<string, unknown>;
  // Only own properties count: a column may have the name of something that every object inherits.
  let known = 0;
  for (const [name, column] of columns) {
    const isThere = Object.hasOwn(values, name);
    const value = isThere ? values[name] : undefined;
    if (isThere) known += 1;
    if (value === undefined || value === null) {
      if (!column.nullable) return `${name} is missing`;
    } else if (!hasType(value, column.type)) {
      return `${name} is not of type ${column.type}`;
    } else if (name === 'row_id' && value === '') {
      return 'row_id is empty';
    }
  }
  const names = Object.keys(values);
  if (names.length === known) return undefined;
  return `${names.find((name) => !columns.some(([column]) => column === name))} is not a column`;
}

function hasType(value: unknown, type: Column['type']): boolean {
  switch (type) {
    case 'string':
      return typeof value === 'string';
    case 'integer':
      return Number.isSafeInteger(value);
    case 'boolean':
      return typeof value === 'boolean';
    case 'timestamp':
      return value instanceof Date && isStorableTime(value);
    case 'json':
      // Only functions and symbols have no JSON text.
      return typeof value === 'object' || JSON.stringify(value) !== undefined;
  }
}

/** Years 1 to 9999, in milliseconds since 1970: what both BigQuery and PostgreSQL hold. */
const timeMsMin = Date.parse('0001-01-01T00:00:00Z');
const timeMsEnd = Date.parse('9999-12-31T23:59:59.999Z') + 1;

function isStorableTime(time: Date): boolean {
  return time.getTime() >= timeMsMin && time.getTime() < timeMsEnd;
}

/** Undefined when a value of the row has no JSON text: it is nested too deeply, or contains itself. */
function encode(row: object, columns: [string, Column][]): Record<string, unknown> | undefined {
  const values = row as Record<string, unknown>;
  const encoded: Record<string, unknown> = {};
  try {
    for (const [name, column] of columns) encoded[name] = encodeValue(values[name] ?? null, column.type);
  } catch {
    return undefined;
  }
  return encoded;
}

function encodeValue(value: unknown, type: Column['type']): unknown {
  if (value instanceof Date && type === 'timestamp') return value.toISOString();
  if (type === 'json' && value !== null) return storableJson(value);
  return typeof value === 'string' ? storableText(value) : value;
}

const unstorableCharacter = /[\p{Surrogate}\0]/u;

/**
 * Scraped text may hold NUL, which PostgreSQL cannot store, or half a surrogate pair, which UTF-8 cannot. Both become
 * U+FFFD.
 */
function storableText(text: string): string {
  if (!unstorableCharacter.test(text)) return text;
  return text.replace(/[\p{Surrogate}\0]/gu, '\uFFFD');
}

/**
 * What cannot be stored, as JSON text writes it. An escaped backslash matches too, which only costs time.
 */
const unstorableEscape = /\\u(0000|d[89a-f])/;

function storableJson(value: unknown): unknown {
  const text = JSON.stringify(value);
  // Few items have such characters, and rebuilding an item costs more than storing it.
  if (!unstorableEscape.test(text)) return value;
  return JSON.parse(text, (_key, part: unknown) => {
    if (typeof part === 'string') return storableText(part);
    if (part === null || typeof part !== 'object' || Array.isArray(part)) return part;
    return Object.fromEntries(Object.entries(part).map(([key, inner]) => [storableText(key), inner as unknown]));
  });
}
