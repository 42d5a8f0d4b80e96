import type { AppendResult } from './warehouse.port.js';
import type { EncodedRow } from './warehouse-rows.js';
import type { WarehouseTable } from './warehouse-tables.js';

/**
 * One way to write rows to BigQuery. It rejects when the outcome is not certain. A repeat with the same rows is safe,
 * because readers de-duplicate by row_id.
 */
export interface BigQueryAppender {
  append(table: WarehouseTable, rows: readonly EncodedRow[]): Promise<AppendResult>;
  close(): Promise<void>;
}

/** A row for both write paths: JSON columns as JSON text, timestamps as ISO text. */
export function bigQueryValues(row: EncodedRow, jsonColumns: ReadonlySet<string>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(row.values)
      .filter(([, value]) => value !== null)
      .map(([name, value]) => [name, jsonColumns.has(name) ? JSON.stringify(value) : value]),
  );
}

export interface SizedRow {
  row_id: string;
  /** Approximate bytes of the request. */
  sizeBytes: number;
}

/** Consecutive rows in chunks within both limits. No row may be larger than a chunk. */
export function chunksOf<R extends SizedRow>(rows: readonly R[], limits: { rows: number; sizeBytes: number }): R[][] {
  const chunks: R[][] = [];
  let sizeBytes = Infinity;
  for (const row of rows) {
    const current = chunks.at(-1);
    if (current && current.length < limits.rows && sizeBytes + row.sizeBytes <= limits.sizeBytes) {
      current.push(row);
      sizeBytes += row.sizeBytes;
    } else {
      chunks.push([row]);
      sizeBytes = row.sizeBytes;
    }
  }
  return chunks;
}
