// BigQuery's REST API on loopback, as far as this platform uses it, with what the emulators leave out. It remembers
// insertId for a while, and refuses rows with unknown or missing required fields. It answers a repeated job with 409,
// and refuses changes to rows in the streaming buffer. SQL runs on PostgreSQL, where each dataset is a schema.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { gunzipSync } from 'node:zlib';
import pg from 'pg';
import { encodeResult, postgresStatement, type QueryParameter } from './bigquery-sql.js';
import { createFaultPlan, type FaultPlan } from './fault-plan.js';
import { closeServer, listenOnLoopback } from './loopback.js';

export interface FakeBigQuery {
  /** For the client's `apiEndpoint`. */
  url: string;
  /**
   * Methods are `insertAll`, `query`, `datasets` and so on. A number is the HTTP status of the answer. `lost` does the
   * work and then breaks the connection. `stopped` refuses every row as stopped; `timeout` the same with that reason.
   */
  faults: FaultPlan<number | 'lost' | 'stopped' | 'timeout'>;
  /** Requests seen, by method. */
  requests: { method: string; rows?: number; sizeBytes: number }[];
  /** As after the minute for which BigQuery remembers insertIds. */
  forgetInsertIds(): void;
  /** Stores rows that some other way of writing has taken. */
  store(dataset: string, table: string, rows: Record<string, unknown>[]): Promise<void>;
  /** Rows of the table itself, repeats included, that have these values. */
  count(dataset: string, table: string, values: Record<string, string>): Promise<number>;
  /** The fields of a table, or undefined. */
  fields(dataset: string, table: string): Field[] | undefined;
  close(): Promise<void>;
}

export interface Field {
  name: string;
  type: string;
  mode?: string;
}

interface Table {
  metadata: { schema?: { fields: Field[] }; view?: { query: string } } & Record<string, unknown>;
  insertIds: Set<string>;
  streamed: number;
}

const postgresTypes: Record<string, string> = {
  STRING: 'text collate "C"',
  INTEGER: 'bigint',
  INT64: 'bigint',
  BOOLEAN: 'boolean',
  BOOL: 'boolean',
  TIMESTAMP: 'timestamptz',
  JSON: 'jsonb',
};

const rowsPerRequestMax = 50_000;
const requestSizeBytesMax = 10_485_760;

class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly reason: string,
    message: string,
  ) {
    super(message);
  }
}

export async function startFakeBigQuery(options: { databaseUrl: string }): Promise<FakeBigQuery> {
  const pool = new pg.Pool({ connectionString: options.databaseUrl, max: 5 });
  // Its database may be dropped before it is closed.
  pool.on('error', () => undefined);
  const datasets = new Map<string, { metadata: object; tables: Map<string, Table> }>();
  const jobs = new Map<string, { schema: object; rows: object[] }>();
  const faults = createFaultPlan<number | 'lost' | 'stopped' | 'timeout'>();
  const requests: FakeBigQuery['requests'] = [];

  const datasetOf = (name: string) => {
    const dataset = datasets.get(name);
    if (!dataset) throw new ApiError(404, 'notFound', `Not found: Dataset ${name}`);
    return dataset;
  };
  const tableOf = (dataset: string, name: string) => {
    const table = datasetOf(dataset).tables.get(name);
    if (!table) throw new ApiError(404, 'notFound', `Not found: Table ${dataset}.${name}`);
    return table;
  };

  async function createDataset(body: { datasetReference: { datasetId: string } }) {
    const { datasetId } = body.datasetReference;
    if (datasets.has(datasetId)) throw new ApiError(409, 'duplicate', `Already Exists: Dataset ${datasetId}`);
    datasets.set(datasetId, { metadata: body, tables: new Map() });
    await pool.query(`create schema if not exists "${datasetId}"`);
    return body;
  }

  async function createTable(dataset: string, body: Table['metadata'] & { tableReference: { tableId: string } }) {
    const { tableId } = body.tableReference;
    const { tables } = datasetOf(dataset);
    if (tables.has(tableId)) throw new ApiError(409, 'duplicate', `Already Exists: Table ${dataset}.${tableId}`);
    tables.set(tableId, { metadata: body, insertIds: new Set(), streamed: 0 });
    await defineTable(dataset, tableId, body);
    return body;
  }

  async function defineTable(dataset: string, name: string, { schema, view }: Table['metadata']) {
    if (view) {
      await pool.query(`create or replace view "${dataset}"."${name}" as ${postgresStatement(view.query, []).text}`);
      return;
    }
    await pool.query(`create table if not exists "${dataset}"."${name}" ()`);
    for (const field of schema?.fields ?? []) {
      const type = postgresTypes[field.type];
      if (!type) throw new ApiError(400, 'invalid', `Invalid type ${field.type}`);
      await pool.query(`alter table "${dataset}"."${name}" add column if not exists "${field.name}" ${type}`);
    }
  }

  async function patchTable(dataset: string, name: string, body: Table['metadata']) {
    const table = tableOf(dataset, name);
    table.metadata = { ...table.metadata, ...body };
    await defineTable(dataset, name, table.metadata);
    return table.metadata;
  }

  async function store(dataset: string, name: string, rows: Record<string, unknown>[]) {
    if (rows.length === 0) return;
    const fields = tableOf(dataset, name).metadata.schema?.fields ?? [];
    const names = fields.map((field) => `"${field.name}"`).join(', ');
    const record = fields.map((field) => `"${field.name}" ${postgresTypes[field.type]!.split(' ')[0]}`).join(', ');
    await pool.query(
      `insert into "${dataset}"."${name}" (${names}) select ${names} from jsonb_to_recordset($1::jsonb) as row(${record})`,
      [JSON.stringify(rows.map((row) => decodeJson(row, fields)))],
    );
    tableOf(dataset, name).streamed += rows.length;
  }

  async function insertAll(
    dataset: string,
    name: string,
    body: { rows: { insertId?: string; json: Record<string, unknown> }[]; skipInvalidRows?: boolean },
    fault: unknown,
  ) {
    const table = tableOf(dataset, name);
    if (body.rows.length > rowsPerRequestMax)
      throw new ApiError(400, 'invalid', 'too many rows present in the request');
    const errors = new Map<number, { reason: string; message: string; location: string }>();
    body.rows.forEach(({ json }, index) => {
      const fault = faultOf(json, table.metadata.schema?.fields ?? []);
      if (fault) errors.set(index, { reason: 'invalid', ...fault });
    });
    const stopsAll = fault === 'stopped' || fault === 'timeout';
    if (stopsAll || (errors.size > 0 && !body.skipInvalidRows)) {
      body.rows.forEach((_row, index) => {
        if (!errors.has(index))
          errors.set(index, { reason: stopsAll ? String(fault) : 'stopped', message: '', location: '' });
      });
    }
    const accepted = body.rows.filter(({ insertId }, index) => {
      if (errors.has(index)) return false;
      if (insertId === undefined) return true;
      const isNew = !table.insertIds.has(insertId);
      table.insertIds.add(insertId);
      return isNew;
    });
    await store(
      dataset,
      name,
      accepted.map(({ json }) => json),
    );
    return {
      kind: 'bigquery#tableDataInsertAllResponse',
      ...(errors.size > 0 ? { insertErrors: [...errors].map(([index, error]) => ({ index, errors: [error] })) } : {}),
    };
  }

  async function runQuery(jobId: string, query: { query: string; queryParameters?: QueryParameter[] }) {
    if (jobs.has(jobId)) throw new ApiError(409, 'duplicate', `Already Exists: Job ${jobId}`);
    refuseChanges(query.query);
    try {
      const { text, values } = postgresStatement(query.query, query.queryParameters ?? []);
      const result = await pool.query({ text, values, rowMode: 'array' });
      jobs.set(jobId, encodeResult(result));
    } catch (error) {
      throw new ApiError(400, 'invalidQuery', (error as Error).message);
    }
  }

  function refuseChanges(query: string): void {
    const [, verb, path] =
      /^\s*(update|delete\s+from|merge(?:\s+into)?|truncate\s+table)\s+`?([\w.-]+)/i.exec(query) ?? [];
    if (!verb || !path) return;
    const [dataset, name] = path.split('.').slice(-2) as [string, string];
    if (tableOf(dataset, name).streamed > 0) {
      const message = `${verb.toUpperCase()} statement over table ${path} would affect rows in the streaming buffer, which is not supported`;
      throw new ApiError(400, 'invalidQuery', message);
    }
    throw new ApiError(400, 'invalidQuery', 'This fake changes no rows');
  }

  function results(jobId: string, search: URLSearchParams) {
    const job = jobs.get(jobId);
    if (!job) throw new ApiError(404, 'notFound', `Not found: Job ${jobId}`);
    const start = Number(search.get('pageToken') ?? search.get('startIndex') ?? 0);
    const end = start + Number(search.get('maxResults') ?? job.rows.length);
    return {
      jobReference: { projectId: 'fake', jobId },
      jobComplete: true,
      totalRows: String(job.rows.length),
      schema: job.schema,
      rows: job.rows.slice(start, end),
      ...(end < job.rows.length ? { pageToken: String(end) } : {}),
    };
  }

  async function answer(request: IncomingMessage, body: never, fault: unknown): Promise<unknown> {
    const url = new URL(request.url ?? '', 'http://fake');
    const [resource, id = '', sub, subId = '', action] = url.pathname.split('/').slice(5).map(decodeURIComponent);
    const called = `${request.method} ${resource}${id && '/:id'}${sub ? `/${sub}` : ''}${subId && '/:id'}${action ? `/${action}` : ''}`;
    switch (called) {
      case 'POST datasets':
        return createDataset(body);
      case 'GET datasets/:id':
        return datasetOf(id).metadata;
      case 'POST datasets/:id/tables':
        return createTable(id, body);
      case 'GET datasets/:id/tables/:id':
        return tableOf(id, subId).metadata;
      case 'PATCH datasets/:id/tables/:id':
        return patchTable(id, subId, body);
      case 'POST datasets/:id/tables/:id/insertAll':
        return insertAll(id, subId, body, fault);
      case 'POST queries': {
        const jobId = `query-${jobs.size + 1}-${Date.now()}`;
        await runQuery(jobId, body);
        return results(jobId, new URLSearchParams());
      }
      case 'POST jobs': {
        const job = body as { jobReference: { jobId: string }; configuration: { query: { query: string } } };
        await runQuery(job.jobReference.jobId, job.configuration.query);
        return { ...job, status: { state: 'DONE' } };
      }
      case 'GET jobs/:id':
        return { jobReference: { jobId: id }, status: { state: 'DONE' } };
      case 'GET queries/:id':
        return results(id, url.searchParams);
      default:
        throw new ApiError(404, 'notFound', `The fake knows no ${called}`);
    }
  }

  const server = createServer((request, response) => {
    void (async () => {
      const raw = await readBody(request);
      const body = (raw.length > 0 ? JSON.parse(raw.toString('utf8')) : undefined) as never;
      const path = new URL(request.url ?? '', 'http://fake').pathname;
      const method = path.endsWith('/insertAll') ? 'insertAll' : /\/(queries|jobs)/.test(path) ? 'query' : 'metadata';
      const rows = (body as { rows?: unknown[] } | undefined)?.rows?.length;
      requests.push({ method, sizeBytes: raw.length, ...(rows === undefined ? {} : { rows }) });
      const fault = faults.take(method);
      try {
        if (typeof fault === 'number') throw new ApiError(fault, reasonOf(fault), 'ordered failure');
        if (raw.length > requestSizeBytesMax)
          throw new ApiError(413, 'invalid', 'Request payload size exceeds the limit: 10485760 bytes.');
        const answered = await answer(request, body, fault);
        if (fault === 'lost') request.socket.destroy();
        else send(response, 200, answered);
      } catch (error) {
        const { status = 500, reason = 'internalError', message } = error as ApiError;
        send(response, status, { error: { code: status, message, errors: [{ reason, message, domain: 'global' }] } });
      }
    })();
  });
  const url = await listenOnLoopback(server);
  return {
    url,
    faults,
    requests,
    forgetInsertIds() {
      for (const { tables } of datasets.values()) for (const table of tables.values()) table.insertIds.clear();
    },
    store,
    async count(dataset, table, values) {
      const conditions = Object.keys(values).map((name, index) => `"${name}" = $${index + 1}`);
      const { rows } = await pool.query<{ count: string }>(
        `select count(*) from "${dataset}"."${table}" where ${conditions.join(' and ')}`,
        Object.values(values),
      );
      return Number(rows[0]!.count);
    },
    fields: (dataset, table) => datasets.get(dataset)?.tables.get(table)?.metadata.schema?.fields,
    async close() {
      await closeServer(server);
      await pool.end();
    },
  };
}

/** What BigQuery would say of the first fault of a row. */
function faultOf(row: Record<string, unknown>, fields: Field[]): { message: string; location: string } | undefined {
  const known = new Map(fields.map((field) => [field.name, field]));
  for (const name of Object.keys(row)) {
    if (!known.has(name)) return { message: `no such field: ${name}.`, location: name };
  }
  for (const { name, type, mode } of fields) {
    const value = row[name];
    if (value === undefined || value === null) {
      if (mode === 'REQUIRED') return { message: `Missing required field: ${name}.`, location: '' };
    } else if (!isOfType(value, type)) {
      return {
        message: `Cannot convert value to ${type.toLowerCase()}: ${JSON.stringify(value).slice(0, 80)}`,
        location: name,
      };
    }
  }
  return undefined;
}

function isOfType(value: unknown, type: string): boolean {
  switch (type) {
    case 'INTEGER':
    case 'INT64':
      return Number.isInteger(Number(value)) && typeof value !== 'boolean';
    case 'BOOLEAN':
    case 'BOOL':
      return typeof value === 'boolean' || value === 'true' || value === 'false';
    case 'TIMESTAMP':
      return typeof value === 'string' && !Number.isNaN(Date.parse(value));
    case 'JSON':
      // JSON columns are streamed as JSON text; an object in its place is refused.
      return typeof value === 'string' && isJson(value);
    default:
      return typeof value === 'string';
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function decodeJson(row: Record<string, unknown>, fields: Field[]): Record<string, unknown> {
  const json = fields.filter(({ type, name }) => type === 'JSON' && typeof row[name] === 'string');
  return { ...row, ...Object.fromEntries(json.map(({ name }) => [name, JSON.parse(row[name] as string) as unknown])) };
}

function reasonOf(status: number): string {
  if (status === 429) return 'rateLimitExceeded';
  return status === 503 ? 'backendError' : status === 403 ? 'accessDenied' : 'internalError';
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const body = Buffer.concat(chunks);
  return request.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body;
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body ?? {}));
}
