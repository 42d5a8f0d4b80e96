// The warehouse on Google BigQuery. It is append-only: the streaming buffer refuses UPDATE, DELETE and MERGE for half
// an hour, so none of them is used.
import {
  BigQuery,
  type BigQueryTimestamp,
  type Query,
  type QueryResultsOptions,
  type TableField,
} from '@google-cloud/bigquery';
import { PassThroughClient } from 'google-auth-library';
import type { BigQueryAppender } from './bigquery-appender.js';
import * as sql from './warehouse.bigquery-schema.js';
import {
  Warehouse,
  type AppendResult,
  type PriorityPerson,
  type RunItemPosition,
  type ScrapedProfileCall,
} from './warehouse.port.js';
import { checkRows, itemColumnsOf } from './warehouse-rows.js';
import { runTables, type RunItem, type RunTable, type WarehouseRows, type WarehouseTable } from './warehouse-tables.js';

export interface BigQueryWarehouseOptions {
  projectId: string;
  dataset: string;
  /** Where a missing dataset is created. */
  location: string;
  /** Address of an emulator or fake; calls carry no credentials then. */
  apiEndpoint?: string | undefined;
}

/** 429 and 5xx are retried for up to two minutes, after 1, 2, 4 .. 32 s with jitter, as Google advises. */
const retryOptions = { autoRetry: true, maxRetries: 6, maxRetryDelay: 32, totalTimeout: 120 };

export class BigQueryWarehouse extends Warehouse {
  readonly #bigquery: BigQuery;
  readonly #options: BigQueryWarehouseOptions;
  readonly #appender: BigQueryAppender;

  /** @param appender makes the appender for this client */
  constructor(options: BigQueryWarehouseOptions, appender: (bigquery: BigQuery) => BigQueryAppender) {
    super();
    this.#options = options;
    this.#bigquery = new BigQuery({
      projectId: options.projectId,
      retryOptions,
      ...(options.apiEndpoint === undefined
        ? {}
        : // With any other kind of "no credentials" the client looks for some, and crashes on uploads.
          { apiEndpoint: options.apiEndpoint, authClient: new PassThroughClient() }),
    });
    this.#appender = appender(this.#bigquery);
  }

  async migrate(): Promise<void> {
    const { dataset, location } = this.#options;
    await ensured(
      () => this.#bigquery.dataset(dataset).getMetadata(),
      () => this.#bigquery.createDataset(dataset, { location }),
    );
    for (const table of sql.tableNames) await this.#migrateTable(table);
    for (const view of sql.views(this.#options)) await this.#migrateView(view);
  }

  async #migrateTable(name: WarehouseTable): Promise<void> {
    const wanted = sql.tableMetadata(name);
    const dataset = this.#bigquery.dataset(this.#options.dataset);
    const metadata = await ensured(
      () => dataset.table(name).getMetadata(),
      () => dataset.createTable(name, wanted),
    );
    if (!metadata) return;
    const fields = (metadata as { schema: { fields: TableField[] } }).schema.fields;
    const existing = new Map(fields.map((field) => [field.name, field]));
    const missing: TableField[] = [];
    for (const field of (wanted.schema as { fields: TableField[] }).fields) {
      const found = existing.get(field.name);
      if (!found) missing.push({ ...field, mode: 'NULLABLE' });
      else if (typeName(found.type) !== typeName(field.type)) {
        throw new Error(`column ${name}.${field.name} is ${found.type}, the code needs ${field.type}`);
      }
    }
    // A column can be added to a table with rows only if it is nullable.
    if (missing.length > 0) await dataset.table(name).setMetadata({ schema: { fields: [...fields, ...missing] } });
  }

  async #migrateView({ name, query }: { name: string; query: string }): Promise<void> {
    const view = { query, useLegacySql: false };
    const dataset = this.#bigquery.dataset(this.#options.dataset);
    const metadata = await ensured(
      () => dataset.table(name).getMetadata(),
      () => dataset.createTable(name, { view }),
    );
    if (metadata && (metadata as { view?: { query?: string } }).view?.query !== query) {
      await dataset.table(name).setMetadata({ view });
    }
  }

  async append<T extends WarehouseTable>(table: T, rows: readonly WarehouseRows[T][]): Promise<AppendResult> {
    const { accepted, rejected } = checkRows(table, rows);
    if (accepted.length === 0) return { appended: 0, rejected };
    const result = await this.#appender.append(table, accepted);
    return { appended: result.appended, rejected: [...rejected, ...result.rejected] };
  }

  async countOfRun(table: RunTable, providerRunId: string): Promise<number> {
    const [row] = await this.#query<{ row_count: number }>({
      query: sql.countOfRun(this.#options, table),
      params: { provider_run_id: providerRunId },
    });
    return row!.row_count;
  }

  async readItemsOfRun<T extends RunTable>(
    table: T,
    providerRunId: string,
    page: { after?: RunItemPosition | undefined; limit: number },
  ): Promise<RunItem<T>[]> {
    const { after } = page;
    const hasTime = runTables[table] !== undefined && after?.at;
    const rows = await this.#query<Record<string, unknown>>({
      query: sql.itemsOfRun(this.#options, table, page),
      params: {
        provider_run_id: providerRunId,
        ...(after && { after_row: after.row_id }),
        ...(hasTime && { after_time: after.at }),
      },
    });
    const times = itemColumnsOf(table).filter(([, { type }]) => type === 'timestamp');
    for (const row of rows) {
      for (const [column] of times) {
        const time = row[column] as BigQueryTimestamp | null;
        row[column] = time && new Date(time.value);
      }
    }
    // The statement selects the columns of RunItem.
    return rows as RunItem<T>[];
  }

  /**
   * One query whose result is read page by page; BigQuery keeps it for a day. A page may be shorter than `pageSize`.
   */
  async *readPriorityPeople(options: {
    pageSize: number;
    after?: { person_id: string; network_username: string | null };
  }): AsyncIterable<PriorityPerson[]> {
    const { after } = options;
    const [job] = await this.#bigquery.createQueryJob({
      query: sql.priorityPeopleAfter(this.#options, after),
      params: {
        ...(after ? { after_person: after.person_id } : {}),
        ...(after && after.network_username !== null ? { after_username: after.network_username } : {}),
      },
    });
    let page: QueryResultsOptions | null = { maxResults: options.pageSize, autoPaginate: false };
    while (page) {
      // The client types the options of the next page as a response of the server; they are options like these.
      const [rows, next] = (await job.getQueryResults(page)) as unknown as [
        PriorityPerson[],
        QueryResultsOptions | null,
      ];
      if (rows.length > 0) yield rows.map(({ person_id, network_username }) => ({ person_id, network_username }));
      page = next;
    }
  }

  async latestProfileCall(requestResource: string, requestType: string): Promise<ScrapedProfileCall | undefined> {
    const [row] = await this.#query<{
      requestResource: string;
      requestType: string;
      requestDate: BigQueryTimestamp;
      requestStatus: ScrapedProfileCall['requestStatus'];
      responseData: string;
    }>({ query: sql.latestProfileCall(this.#options), params: { requestResource, requestType } });
    if (!row) return undefined;
    return {
      requestResource: row.requestResource,
      requestType: row.requestType,
      requestDate: new Date(row.requestDate.value),
      requestStatus: row.requestStatus,
      responseData: JSON.parse(row.responseData) as unknown,
    };
  }

  async ping(): Promise<void> {
    await this.#bigquery.dataset(this.#options.dataset).getMetadata();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.#appender.close();
  }

  async #query<Row>(query: Query): Promise<Row[]> {
    const [rows] = await this.#bigquery.query(query);
    return rows as Row[];
  }
}

/** The metadata of what existed; undefined when this call created it. Safe in parallel. */
async function ensured(get: () => Promise<unknown>, create: () => Promise<unknown>): Promise<unknown> {
  // The client returns a list whose first element is the metadata.
  const existing = async () => ((await get()) as unknown[])[0];
  try {
    return await existing();
  } catch (error) {
    if ((error as { code?: number }).code !== 404) throw error;
  }
  try {
    await create();
    return undefined;
  } catch (error) {
    // Another process was faster.
    if ((error as { code?: number }).code === 409) return existing();
    throw error;
  }
}

/** BigQuery has two names for some types and answers with either. */
function typeName(type: string | undefined): string | undefined {
  if (type === 'INT64') return 'INTEGER';
  return type === 'BOOL' ? 'BOOLEAN' : type;
}
