// Records of a CSV or NDJSON file, one at a time, with the line each begins on.
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { parse } from 'csv-parse';

export interface FileRecord {
  /** Line of the file, from 1, that the record begins on. */
  line: number;
  /** Bytes read so far, for the progress bar. */
  bytes: number;
  /** Field names to values; or what is wrong with the line. */
  content: { fields: Record<string, unknown> } | { problem: string };
}

/** A file that cannot be read as a whole: nothing of it is imported. */
export class FileError extends Error {}

export type FileFormat = 'csv' | 'ndjson';

/** CSV: RFC 4180, UTF-8, header line. NDJSON: one JSON object per line. */
export function formatOf(path: string): FileFormat {
  if (/\.csv$/i.test(path)) return 'csv';
  if (/\.(ndjson|jsonl)$/i.test(path)) return 'ndjson';
  throw new FileError(`${path}: the name must end in .csv or .ndjson`);
}

/** A line beyond this is taken for a broken file (a quote that never closes). */
const recordBytesMax = 4 * 1024 * 1024;

export function readRecords(path: string, format: FileFormat): AsyncGenerator<FileRecord> {
  return format === 'csv' ? readCsv(path) : readNdjson(path);
}

async function* readCsv(path: string): AsyncGenerator<FileRecord> {
  const input = createReadStream(path);
  const parser = parse({
    bom: true,
    info: true,
    relax_column_count: true,
    max_record_size: recordBytesMax,
    skip_empty_lines: true,
  });
  input.on('error', (error) => parser.destroy(error));
  input.pipe(parser);
  let header: string[] | undefined;
  let lastLine = 0;
  try {
    for await (const entry of parser) {
      const { record, info } = entry as { record: string[]; info: { lines: number; bytes: number } };
      // `lines` is the line the record ends on; quoted cells may hold line breaks of their own.
      const line = info.lines - lineBreaksIn(record);
      lastLine = info.lines;
      if (!header) {
        header = record.map((name) => name.trim());
        checkHeader(path, header);
        yield { line, bytes: info.bytes, content: { fields: Object.fromEntries(header.map((name) => [name, name])) } };
        continue;
      }
      if (record.length !== header.length) {
        yield {
          line,
          bytes: info.bytes,
          content: { problem: `has ${record.length} cells, the header has ${header.length}` },
        };
        continue;
      }
      yield {
        line,
        bytes: info.bytes,
        content: { fields: Object.fromEntries(header.map((name, index) => [name, record[index]])) },
      };
    }
  } catch (error) {
    if (error instanceof FileError) throw error;
    throw new FileError(`${path}: cannot be read after line ${lastLine}: ${(error as Error).message}`, {
      cause: error,
    });
  } finally {
    input.destroy();
  }
}

function checkHeader(path: string, header: readonly string[]): void {
  const repeated = header.find((name, index) => header.indexOf(name) !== index);
  if (repeated !== undefined) throw new FileError(`${path}: the header names "${repeated}" twice`);
}

function lineBreaksIn(record: readonly string[]): number {
  return record.reduce((sum, value) => sum + (value.includes('\n') ? value.split('\n').length - 1 : 0), 0);
}

async function* readNdjson(path: string): AsyncGenerator<FileRecord> {
  const input = createReadStream(path, { encoding: 'utf8' });
  const lines = createInterface({ input, crlfDelay: Infinity });
  let line = 0;
  let bytes = 0;
  try {
    for await (const text of lines) {
      line++;
      bytes += Buffer.byteLength(text) + 1;
      const source = line === 1 ? text.replace(/^\uFEFF/, '') : text;
      if (source.trim() === '') continue;
      yield { line, bytes, content: parseLine(source) };
    }
  } catch (error) {
    throw new FileError(`${path}: cannot be read after line ${line}: ${(error as Error).message}`, { cause: error });
  } finally {
    input.destroy();
  }
}

function parseLine(text: string): FileRecord['content'] {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return { problem: 'is not a JSON object' };
    return { fields: value as Record<string, unknown> };
  } catch (error) {
    return { problem: `is not JSON: ${(error as Error).message}` };
  }
}
