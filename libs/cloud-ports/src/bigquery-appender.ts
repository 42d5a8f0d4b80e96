import type { AppendResult } from './warehouse.port.js';
import type { EncodedRow } from './warehouse-rows.js';
import type { WarehouseTable } from './warehouse-tables.js';

/**
 * One way of writing rows to BigQuery. Rejects when nothing certain is known; appending the same rows again is then
 * safe, because readers de-duplicate by row_id.
 */
export interface BigQueryAppender {
  append(table: WarehouseTable, rows: readonly EncodedRow[]): Promise<AppendResult>;
  close(): Promise<void>;
}

/** A row as both write paths take it: JSON columns as JSON text, timestamps as ISO text. */
export function bigQueryValues(row: EncodedRow, jsonColumns: ReadonlySet<string>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(row.values)
      .filter(([, value]) => value !== null)
      .map(([name, value]) => [name, jsonColumns.has(name) ? JSON.stringify(value) : value]),
  );
}

export interface SizedRow {
  row_id: string;
  /** Bytes on the wire, about. */
  sizeBytes: number;
}

/** Consecutive rows in chunks within both limits. Rows larger than a chunk must have been taken out before. */
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
