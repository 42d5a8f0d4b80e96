// Appends through the Storage Write API: one pending stream per append, whose rows become visible together when it is
// committed. Offsets and the commit make every retry within an append harmless: nothing is written twice.
import { adapt, managedwriter } from '@google-cloud/bigquery-storage';
import { credentials } from '@grpc/grpc-js';
import { retry } from '@tradewind/shared-types';
import { bigQueryValues, chunksOf, type BigQueryAppender } from './bigquery-appender.js';
import * as schema from './warehouse.bigquery-schema.js';
import type { AppendResult } from './warehouse.port.js';
import { columnsOf, type EncodedRow } from './warehouse-rows.js';
import type { WarehouseTable } from './warehouse-tables.js';

export interface StorageWriteOptions {
  projectId: string;
  dataset: string;
  /** host:port of an emulator or fake; plain text and no credentials then. */
  apiEndpoint?: string | undefined;
}

/**
 * One AppendRows request may have 10 MB; the encoded rows are smaller than their JSON, which is what is counted here.
 */
const requestLimits = { rows: 5_000, sizeBytes: 9_000_000 };

/** gRPC: cancelled, deadline exceeded, resource exhausted, aborted, internal, unavailable. */
const passingCodes: ReadonlySet<unknown> = new Set([1, 4, 8, 10, 13, 14]);
/** gRPC: already exists. At a given offset it means that an earlier try of the same rows was stored. */
const alreadyExists = 6;
/** Each request is safe to repeat, and gives up after about 15 s of waiting. */
const requestRetry = {
  attempts: 6,
  backoffMsMin: 500,
  backoffMsMax: 8_000,
  isRetryable: (error: unknown) => passingCodes.has((error as { code?: unknown }).code),
};

interface WireRow {
  row_id: string;
  sizeBytes: number;
  json: managedwriter.JSONWriter extends { appendRows(rows: (infer Row)[]): unknown } ? Row : never;
}

type AppendResponse = Awaited<ReturnType<ReturnType<managedwriter.JSONWriter['appendRows']>['getResult']>>;

/** A new append of the same rows, by a process that died before it knew the outcome, is left to the views. */
export class StorageWriteAppender implements BigQueryAppender {
  readonly #client: managedwriter.WriterClient;
  readonly #options: StorageWriteOptions;

  constructor(options: StorageWriteOptions) {
    this.#options = options;
    const [host, port] = options.apiEndpoint?.split(':') ?? [];
    this.#client = new managedwriter.WriterClient({
      projectId: options.projectId,
      ...(host === undefined ? {} : { apiEndpoint: host, port: Number(port), sslCreds: credentials.createInsecure() }),
    });
    // Retries are decided below, where the offset is known.
    this.#client.enableWriteRetries(false);
  }

  async append(table: WarehouseTable, rows: readonly EncodedRow[]): Promise<AppendResult> {
    const wireRows = rows.map((row) => wireRow(table, row));
    const rejected = wireRows
      .filter(({ sizeBytes }) => sizeBytes > requestLimits.sizeBytes)
      .map(({ row_id, sizeBytes }) => ({
        row_id,
        reason: `the row has ${sizeBytes} bytes, more than a request takes`,
      }));
    const sendable = wireRows.filter(({ sizeBytes }) => sizeBytes <= requestLimits.sizeBytes);
    if (sendable.length === 0) return { appended: 0, rejected };

    const destinationTable = `projects/${this.#options.projectId}/datasets/${this.#options.dataset}/tables/${table}`;
    const stream = await retry(
      () => this.#client.createWriteStream({ streamType: managedwriter.PendingStream, destinationTable }),
      requestRetry,
    );
    let appended = 0;
    for (const chunk of chunksOf(sendable, requestLimits)) {
      const written = await this.#write(table, stream, chunk, appended);
      appended += written.appended;
      rejected.push(...written.rejected);
    }
    if (appended > 0) {
      await retry(() => this.#client.finalizeWriteStream({ name: stream }), requestRetry);
      await retry(() => this.#commit(destinationTable, stream), requestRetry);
    }
    return { appended, rejected };
  }

  /** Writes the chunk at the offset, without the rows that BigQuery refuses: it takes all rows of a request or none. */
  async #write(table: WarehouseTable, stream: string, chunk: WireRow[], offset: number): Promise<AppendResult> {
    const rejected: AppendResult['rejected'] = [];
    let sending = chunk;
    while (sending.length > 0) {
      const { error, rowErrors } = await retry(() => this.#request(table, stream, sending, offset), requestRetry);
      if (rowErrors && rowErrors.length > 0) {
        const reasons = new Map(rowErrors.map(({ index, message }) => [Number(index), message || 'invalid']));
        const refused = sending.flatMap(({ row_id }, index) => {
          const reason = reasons.get(index);
          return reason === undefined ? [] : [{ row_id, reason }];
        });
        rejected.push(...refused);
        sending = sending.filter((_row, index) => !reasons.has(index));
      } else if (error?.code && error.code !== alreadyExists) {
        // Its message quotes the rows.
        throw Object.assign(new Error(`BigQuery refused rows of ${table} with status ${error.code}`), {
          code: error.code,
        });
      } else {
        return { appended: sending.length, rejected };
      }
    }
    return { appended: 0, rejected };
  }

  /** One request on a connection of its own, so that a broken one cannot hold up another append. */
  async #request(table: WarehouseTable, stream: string, rows: WireRow[], offset: number): Promise<AppendResponse> {
    const connection = await this.#client.createStreamConnection({ streamId: stream });
    // A failure reaches us through the pending write; without a listener the same failure would end the process.
    connection.on('error', () => undefined);
    const writer = new managedwriter.JSONWriter({ connection, protoDescriptor: descriptorOf(table) });
    try {
      return await writer
        .appendRows(
          rows.map(({ json }) => json),
          offset,
        )
        .getResult();
    } finally {
      writer.close();
    }
  }

  async #commit(parent: string, stream: string): Promise<void> {
    const { streamErrors } = await this.#client.batchCommitWriteStream({ parent, writeStreams: [stream] });
    // An earlier try succeeded and its answer was lost.
    const faults = (streamErrors ?? []).filter(({ code }) => code !== 'STREAM_ALREADY_COMMITTED');
    if (faults.length > 0) {
      throw new Error(`BigQuery did not commit: ${faults.map(({ errorMessage }) => errorMessage).join('; ')}`);
    }
  }

  async close(): Promise<void> {
    this.#client.close();
    if (this.#client.isOpen()) return;
    await this.#client.getClient()?.close();
  }
}

function wireRow(table: WarehouseTable, row: EncodedRow): WireRow {
  const columns = columnsOf(table);
  const jsonColumns = new Set(columns.flatMap(([name, { type }]) => (type === 'json' ? [name] : [])));
  const values = bigQueryValues(row, jsonColumns);
  const sizeBytes = Buffer.byteLength(JSON.stringify(values), 'utf8');
  for (const [name, { type }] of columns) {
    if (type === 'timestamp' && values[name] !== undefined) values[name] = new Date(values[name] as string);
  }
  // Text, numbers, booleans and dates: what the writer's own JSON type holds.
  return { row_id: row.row_id, sizeBytes, json: values as WireRow['json'] };
}

function descriptorOf(table: WarehouseTable) {
  const { schema: tableSchema } = schema.tableMetadata(table);
  const storageSchema = adapt.convertBigQuerySchemaToStorageTableSchema(
    tableSchema as Parameters<typeof adapt.convertBigQuerySchemaToStorageTableSchema>[0],
  );
  return adapt.convertStorageSchemaToProto2Descriptor(storageSchema, 'root');
}
