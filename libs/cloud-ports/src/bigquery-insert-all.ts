// Appends by REST streaming (tabledata.insertAll) with row_id as insertId: BigQuery itself forgets repeats of about the
// last minute, the views the older ones.
import type { BigQuery } from '@google-cloud/bigquery';
import { bigQueryValues, chunksOf, type BigQueryAppender } from './bigquery-appender.js';
import type { AppendResult } from './warehouse.port.js';
import { columnsOf, type EncodedRow } from './warehouse-rows.js';
import type { WarehouseTable } from './warehouse-tables.js';

/** Google advises 500 rows. A request may have 10 MB, and this leaves room for the rest of it. */
const requestLimits = { rows: 500, sizeBytes: 9_000_000 };
/** Parallel requests of one append. */
const requestsMax = 4;
/** How often rows without a fault of their own are sent again. */
const stoppedRetriesMax = 3;

interface WireRow {
  row_id: string;
  sizeBytes: number;
  wire: { insertId: string; json: Record<string, unknown> };
}

/** What the client throws when some rows of a request were refused. */
interface PartialFailure {
  name: string;
  errors: { row: WireRow['wire']; errors: { reason?: string; message?: string }[] }[];
}

/** `appended` counts the rows that BigQuery accepted, with those that it knew: it does not say which. */
export class InsertAllAppender implements BigQueryAppender {
  readonly #bigquery: BigQuery;
  readonly #dataset: string;

  constructor(bigquery: BigQuery, dataset: string) {
    this.#bigquery = bigquery;
    this.#dataset = dataset;
  }

  async append(table: WarehouseTable, rows: readonly EncodedRow[]): Promise<AppendResult> {
    const result: AppendResult = { appended: 0, rejected: [] };
    const jsonColumns = new Set(columnsOf(table).flatMap(([name, { type }]) => (type === 'json' ? [name] : [])));
    const sendable: WireRow[] = [];
    for (const row of rows) {
      const wire = { insertId: row.row_id, json: bigQueryValues(row, jsonColumns) };
      const sizeBytes = Buffer.byteLength(JSON.stringify(wire), 'utf8') + 1;
      if (sizeBytes <= requestLimits.sizeBytes) sendable.push({ row_id: row.row_id, sizeBytes, wire });
      else
        result.rejected.push({
          row_id: row.row_id,
          reason: `the row has ${sizeBytes} bytes, more than a request takes`,
        });
    }
    const waiting = chunksOf(sendable, requestLimits);
    const sendWaiting = async () => {
      for (let chunk = waiting.shift(); chunk; chunk = waiting.shift()) {
        const sent = await this.#send(table, chunk);
        result.appended += sent.appended;
        result.rejected.push(...sent.rejected);
      }
    };
    await Promise.all(Array.from({ length: requestsMax }, sendWaiting));
    return result;
  }

  async #send(table: WarehouseTable, chunk: WireRow[]): Promise<AppendResult> {
    const rejected: AppendResult['rejected'] = [];
    let sending = chunk.map(({ wire }) => wire);
    for (let attempt = 0; sending.length > 0; attempt += 1) {
      if (attempt > stoppedRetriesMax)
        throw new Error(`BigQuery stopped ${sending.length} rows of ${table} again and again`);
      const failures = await this.#insert(table, sending);
      // With `stopped` and `timeout` other rows or the server are at fault, so these rows are sent again.
      const isAtFault = ({ errors }: PartialFailure['errors'][number]) =>
        errors.some(({ reason }) => reason !== 'stopped' && reason !== 'timeout');
      for (const failure of failures.filter(isAtFault)) {
        rejected.push({
          row_id: failure.row.insertId,
          reason: failure.errors.map(({ message, reason }) => message || reason || 'invalid').join('; '),
        });
      }
      sending = failures.filter((failure) => !isAtFault(failure)).map(({ row }) => row);
    }
    return { appended: chunk.length - rejected.length, rejected };
  }

  /** The rows that were not stored. Rejects when the whole request failed, after the client's own retries. */
  async #insert(table: WarehouseTable, wires: WireRow['wire'][]): Promise<PartialFailure['errors']> {
    try {
      await this.#bigquery
        .dataset(this.#dataset)
        .table(table)
        .insert(wires, { raw: true, skipInvalidRows: true, ignoreUnknownValues: false, partialRetries: 0 });
      return [];
    } catch (error) {
      const failure = error as PartialFailure;
      if (failure.name === 'PartialFailureError') return failure.errors;
      throw error;
    }
  }

  async close(): Promise<void> {
    // Callers wait for their requests; nothing is held open.
  }
}
