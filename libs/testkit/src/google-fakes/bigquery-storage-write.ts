// BigQuery's Storage Write API on loopback: pending streams with offsets, finalize and commit, as strict as the real
// one. The rows are decoded with the descriptor that the writer sends, and stored by a FakeBigQuery when they are
// committed.
import { randomUUID } from 'node:crypto';
import type { FakeBigQuery, Field } from './bigquery.js';
import { createFaultPlan, type FaultPlan } from './fault-plan.js';
import { grpcStatus, startGrpcServer, statusError } from './grpc-server.js';

export interface FakeStorageWrite {
  /** host:port */
  endpoint: string;
  /**
   * Methods are CreateWriteStream, AppendRows, FinalizeWriteStream and BatchCommitWriteStreams. The fault is a gRPC
   * status code, or `lost`: done, but the answer is UNAVAILABLE.
   */
  faults: FaultPlan<number | 'lost'>;
  /** Calls seen, by method. */
  calls: Record<string, number>;
  close(): void;
}

interface Stream {
  dataset: string;
  table: string;
  rows: Record<string, unknown>[];
  isFinalized: boolean;
  isCommitted: boolean;
}

interface AppendRequest {
  writeStream: string;
  offset?: { value: string } | null;
  protoRows?: { writerSchema?: { protoDescriptor: object } | null; rows: { serializedRows: Buffer[] } };
}

interface BidiCall {
  on(event: 'data', listener: (request: AppendRequest) => void): void;
  on(event: 'end', listener: () => void): void;
  write(response: object): void;
  emit(event: 'error', error: Error): void;
  end(): void;
}

type Answer = (error: Error | null, response?: object) => void;

export async function startFakeStorageWrite(options: {
  bigquery: FakeBigQuery;
  /** `@google-cloud/bigquery-storage/build/protos/protos.json`. */
  protos: object;
}): Promise<FakeStorageWrite> {
  const { default: protobuf } = await import('protobufjs');
  const { default: descriptor } = await import('protobufjs/ext/descriptor/index.js');
  const streams = new Map<string, Stream>();
  const faults = createFaultPlan<number | 'lost'>();
  const calls: Record<string, number> = {};

  const streamOf = (name: string) => {
    const stream = streams.get(name);
    if (!stream) throw statusError(grpcStatus.NOT_FOUND, `Requested stream not found: ${name}`);
    return stream;
  };

  function decode(message: object, rows: Buffer[], fields: Field[]): Record<string, unknown>[] {
    const type = (protobuf.Type as unknown as { fromDescriptor(message: object): protobuf.Type }).fromDescriptor(
      descriptor.DescriptorProto.fromObject(message),
    );
    new protobuf.Root().add(type);
    return rows.map((bytes) => {
      const row = type.toObject(type.decode(bytes), { longs: String });
      for (const { name, type: columnType } of fields) {
        // Timestamps travel as microseconds since 1970.
        if (columnType === 'TIMESTAMP' && row[name] !== undefined) {
          row[name] = new Date(Number(row[name]) / 1000).toISOString();
        }
      }
      return row;
    });
  }

  function appendRows(request: AppendRequest, schema: object): object {
    const stream = streamOf(request.writeStream);
    if (stream.isFinalized) throw statusError(grpcStatus.FAILED_PRECONDITION, 'The stream is finalized');
    const offset = request.offset ? Number(request.offset.value) : stream.rows.length;
    const failed = (code: number, message: string, rowErrors: object[] = []) => ({
      error: { code, message },
      rowErrors,
      writeStream: request.writeStream,
    });
    if (offset < stream.rows.length)
      return failed(grpcStatus.ALREADY_EXISTS, `The offset ${offset} is within the stream`);
    if (offset > stream.rows.length)
      return failed(grpcStatus.OUT_OF_RANGE, `The offset ${offset} is beyond the stream`);
    const fields = options.bigquery.fields(stream.dataset, stream.table) ?? [];
    const rows = decode(schema, request.protoRows!.rows.serializedRows, fields);
    const rowErrors = rows.flatMap((row, index) => {
      const missing = fields.find(({ name, mode }) => mode === 'REQUIRED' && row[name] === undefined);
      return missing
        ? [{ index: String(index), code: 'FIELDS_ERROR', message: `Missing required field: ${missing.name}` }]
        : [];
    });
    if (rowErrors.length > 0)
      return failed(grpcStatus.INVALID_ARGUMENT, 'Errors found while processing rows', rowErrors);
    stream.rows.push(...rows);
    return { appendResult: { offset: { value: String(offset) } }, writeStream: request.writeStream };
  }

  const methods = {
    CreateWriteStream: ({ parent }: { parent: string }) => {
      const [, , , dataset = '', , table = ''] = parent.split('/');
      if (!options.bigquery.fields(dataset, table))
        throw statusError(grpcStatus.NOT_FOUND, `Table not found: ${parent}`);
      const name = `${parent}/streams/${randomUUID()}`;
      streams.set(name, { dataset, table, rows: [], isFinalized: false, isCommitted: false });
      return { name, type: 'PENDING' };
    },
    FinalizeWriteStream: ({ name }: { name: string }) => {
      const stream = streamOf(name);
      stream.isFinalized = true;
      return { rowCount: String(stream.rows.length) };
    },
    BatchCommitWriteStreams: async ({ writeStreams }: { writeStreams: string[] }) => {
      const all = writeStreams.map((name) => ({ name, ...streamOf(name), stream: streamOf(name) }));
      const streamErrors = all.flatMap(({ name, isCommitted, isFinalized }) => {
        if (isCommitted) return [{ code: 'STREAM_ALREADY_COMMITTED', entity: name, errorMessage: 'already committed' }];
        return isFinalized ? [] : [{ code: 'INVALID_STREAM_STATE', entity: name, errorMessage: 'not finalized' }];
      });
      if (streamErrors.length > 0) return { streamErrors };
      for (const { stream } of all) {
        stream.isCommitted = true;
        await options.bigquery.store(stream.dataset, stream.table, stream.rows);
      }
      return { commitTime: { seconds: String(Math.floor(Date.now() / 1000)) } };
    },
  };

  const unary = (name: string, method: (request: never) => unknown) => (call: { request: unknown }, answer: Answer) => {
    calls[name] = (calls[name] ?? 0) + 1;
    const fault = faults.take(name);
    if (typeof fault === 'number') return answer(statusError(fault, `ordered failure of ${name}`));
    Promise.resolve()
      .then(() => method(call.request as never))
      .then(
        (response) =>
          fault === 'lost'
            ? answer(statusError(grpcStatus.UNAVAILABLE, 'the answer was lost'))
            : answer(null, response as object),
        (error: unknown) => answer(error as Error),
      );
  };

  const server = await startGrpcServer({
    protos: options.protos,
    services: ['google.cloud.bigquery.storage.v1.BigQueryWrite'],
    methods: {
      ...Object.fromEntries(Object.entries(methods).map(([name, method]) => [name, unary(name, method)])),
      AppendRows: (call: BidiCall) => {
        let schema: object | undefined;
        call.on('data', (request) => {
          calls['AppendRows'] = (calls['AppendRows'] ?? 0) + 1;
          const fault = faults.take('AppendRows');
          try {
            if (typeof fault === 'number') throw statusError(fault, 'ordered failure of AppendRows');
            // Sent with the first request of a connection at least.
            schema = request.protoRows?.writerSchema?.protoDescriptor ?? schema;
            const response = appendRows(request, schema!);
            if (fault === 'lost') throw statusError(grpcStatus.UNAVAILABLE, 'the answer was lost');
            call.write(response);
          } catch (error) {
            call.emit('error', error as Error);
          }
        });
        call.on('end', () => call.end());
      },
    },
  });
  return { endpoint: server.endpoint, faults, calls, close: () => server.close() };
}
