// Rows to PostgreSQL by COPY in text format, streamed: memory stays flat whatever the number of rows.
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type pg from 'pg';
import copyStreams from 'pg-copy-streams';
import type { Column, Row, Value } from './data-tables.js';

/** Characters per chunk handed to the socket; smaller ones cost calls, larger ones memory. */
const chunkChars = 256 * 1024;

/** Copies the rows into the table, within the caller's transaction. The table name must be trusted text. */
export async function copyRows(
  client: pg.Client,
  table: string,
  columns: readonly Column[],
  rows: Iterable<Row>,
): Promise<void> {
  const names = columns.map(({ name }) => name).join(', ');
  const stream = client.query(copyStreams.from(`copy ${table} (${names}) from stdin`));
  await pipeline(Readable.from(chunks(columns, rows), { objectMode: true }), stream);
}

function* chunks(columns: readonly Column[], rows: Iterable<Row>): Generator<string> {
  let chunk = '';
  for (const row of rows) {
    for (let index = 0; index < columns.length; index++) {
      const { name, type } = columns[index]!;
      if (index > 0) chunk += '\t';
      chunk += cell(row[name] ?? null, type);
    }
    chunk += '\n';
    if (chunk.length > chunkChars) {
      yield chunk;
      chunk = '';
    }
  }
  if (chunk !== '') yield chunk;
}

function cell(value: Value, type: string): string {
  if (value === null) return '\\N';
  switch (type) {
    case 'bigint[]':
      return `{${(value as readonly number[]).join(',')}}`;
    case 'text[]':
      return escaped(`{${(value as readonly string[]).map(quotedElement).join(',')}}`);
    case 'jsonb':
      return escaped(JSON.stringify(value));
    case 'text':
      return escaped(value as string);
    default:
      return (value as string | number | bigint | boolean).toString();
  }
}

function quotedElement(text: string): string {
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}

const escapes: Record<string, string> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };

function escaped(text: string): string {
  return text.replace(/[\\\t\n\r]/g, (character) => escapes[character]!);
}
