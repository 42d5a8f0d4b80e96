// The warehouse as PostgreSQL tables in the schema `warehouse`.
import pg from 'pg';
import {
  Warehouse,
  type AppendResult,
  type PriorityPerson,
  type RunItemPosition,
  type ScrapedProfileCall,
} from './warehouse.port.js';
import { migrationStatements, schema } from './warehouse.postgres-schema.js';
import { checkRows, columnsOf, itemColumnsOf, type EncodedRow } from './warehouse-rows.js';
import { runTables, type RunItem, type RunTable, type WarehouseRows, type WarehouseTable } from './warehouse-tables.js';

export interface PostgresWarehouseOptions {
  databaseUrl: string;
  /** Most connections. */
  poolSize: number;
}

/** At the usual 2 KB per row a statement has a few megabytes, and no lock is held for long. */
const rowsPerStatement = 1_000;

const recordTypes = {
  string: 'text',
  integer: 'bigint',
  boolean: 'boolean',
  timestamp: 'timestamptz',
  json: 'jsonb',
} as const;

export class PostgresWarehouse extends Warehouse {
  readonly #pool: pg.Pool;

  constructor(options: PostgresWarehouseOptions) {
    super();
    this.#pool = new pg.Pool({
      connectionString: options.databaseUrl,
      max: options.poolSize,
      application_name: 'tradewind-warehouse',
      connectionTimeoutMillis: 5_000,
      idleTimeoutMillis: 30_000,
    });
    // Without listeners an error ends the process. The pool replaces an idle connection that broke, and whoever uses a
    // connection gets its error from the statement.
    this.#pool.on('error', () => undefined);
    this.#pool.on('connect', (client) => client.on('error', () => undefined));
  }

  async migrate(): Promise<void> {
    const client = await this.#pool.connect();
    try {
      await client.query('begin');
      // Parallel migrations wait here; the lock ends with the transaction.
      await client.query(`select pg_advisory_xact_lock(hashtext('tradewind-warehouse-migrate'))`);
      for (const statement of migrationStatements()) await client.query(statement);
      await client.query('commit');
      client.release();
    } catch (error) {
      // The connection's state is unknown: closing it rolls back.
      client.release(true);
      throw error;
    }
  }

  /**
   * Commits a thousand rows at a time. When a later thousand fails, the earlier ones are stored, and a repeat
   * recognises them by row_id.
   */
  async append<T extends WarehouseTable>(table: T, rows: readonly WarehouseRows[T][]): Promise<AppendResult> {
    const { accepted, rejected } = checkRows(table, rows);
    const columns = columnsOf(table);
    const names = columns.map(([name]) => `"${name}"`).join(', ');
    const record = columns.map(([name, { type }]) => `"${name}" ${recordTypes[type]}`).join(', ');
    const statement = `insert into ${schema}.${table} (${names})
      select ${names} from jsonb_to_recordset($1::jsonb) as row(${record})
      on conflict (row_id) do nothing`;
    let appended = 0;
    for (let start = 0; start < accepted.length; start += rowsPerStatement) {
      const inserted = await this.#insert(statement, accepted.slice(start, start + rowsPerStatement));
      appended += inserted.appended;
      rejected.push(...inserted.rejected);
    }
    return { appended, rejected };
  }

  /**
   * Inserts with one statement. When PostgreSQL refuses a value, it tries halves, down to the rows that are refused.
   */
  async #insert(statement: string, rows: readonly EncodedRow[]): Promise<AppendResult> {
    try {
      const inserted = await this.#pool.query(statement, [JSON.stringify(rows.map((row) => row.values))]);
      return { appended: inserted.rowCount ?? 0, rejected: [] };
    } catch (error) {
      if (!isAboutValues(error)) throw error;
      const [row, ...others] = rows;
      if (row && others.length === 0) return { appended: 0, rejected: [{ row_id: row.row_id, reason: error.message }] };
      const half = Math.ceil(rows.length / 2);
      const first = await this.#insert(statement, rows.slice(0, half));
      const second = await this.#insert(statement, rows.slice(half));
      return {
        appended: first.appended + second.appended,
        rejected: [...first.rejected, ...second.rejected],
      };
    }
  }

  async countOfRun(table: RunTable, providerRunId: string): Promise<number> {
    const { rows } = await this.#pool.query<{ count: string }>(
      `select count(*) from ${schema}.${table} where provider_run_id = $1`,
      [providerRunId],
    );
    return Number(rows[0]!.count);
  }

  async readItemsOfRun<T extends RunTable>(
    table: T,
    providerRunId: string,
    { after, limit }: { after?: RunItemPosition | undefined; limit: number },
  ): Promise<RunItem<T>[]> {
    const columns = itemColumnsOf(table);
    // bigint comes as text; numbers of items are exact in a float.
    const names = columns.map(([name, { type }]) => (type === 'integer' ? `"${name}"::float8` : `"${name}"`));
    const time = runTables[table];
    const parameters: unknown[] = [providerRunId];
    const bind = (value: unknown) => `$${parameters.push(value)}`;
    const { rows } = await this.#pool.query<RunItem<T>>(
      `select ${names.join(', ')} from ${schema}.${table}
       where provider_run_id = $1${after ? ` and (${behind(time, after, bind)})` : ''}
       order by ${time ? `${time} desc nulls last, ` : ''}row_id limit ${bind(limit)}`,
      parameters,
    );
    return rows;
  }

  async *readPriorityPeople(options: {
    pageSize: number;
    after?: { person_id: string; network_username: string | null };
  }): AsyncIterable<PriorityPerson[]> {
    let after = options.after;
    for (;;) {
      const { rows } = await this.#pool.query<PriorityPerson>(priorityPeopleAfter, [
        after?.person_id ?? null,
        after?.network_username ?? null,
        options.pageSize,
      ]);
      if (rows.length > 0) yield rows;
      if (rows.length < options.pageSize) return;
      after = rows.at(-1);
    }
  }

  async latestProfileCall(requestResource: string, requestType: string): Promise<ScrapedProfileCall | undefined> {
    // Reads one entry of scraped_profile_calls_latest_idx; row_id breaks ties as the BigQuery view does.
    const { rows } = await this.#pool.query<ScrapedProfileCall>(
      `select "requestResource", "requestType", "requestDate", "requestStatus", "responseData"
       from ${schema}.scraped_profile_calls
       where "requestType" = $1 and "requestResource" = $2
       order by "requestDate" desc, row_id desc limit 1`,
      [requestType, requestResource],
    );
    return rows[0];
  }

  async ping(): Promise<void> {
    await this.#pool.query('select 1');
  }

  async onApplicationShutdown(): Promise<void> {
    await this.#pool.end();
  }
}

/** That a row comes after the given one in the order of readItemsOfRun. */
function behind(
  time: string | undefined,
  { at, row_id: rowId }: RunItemPosition,
  bind: (value: unknown) => string,
): string {
  const laterRow = `row_id > ${bind(rowId)}`;
  if (time === undefined) return laterRow;
  if (at === null) return `${time} is null and ${laterRow}`;
  const place = bind(at);
  return `${time} < ${place} or ${time} is null or ${time} = ${place} and ${laterRow}`;
}

/** A data exception, a broken constraint or a limit of PostgreSQL. Other rows can still be stored. */
function isAboutValues(error: unknown): error is pg.DatabaseError {
  return error instanceof pg.DatabaseError && /^(21|22|23|54)/.test(error.code ?? '');
}

/**
 * The latest row decides whether a person is a priority person. A person with several usernames appears once for each.
 * It reads person_fields_latest_idx from the key on, so every page costs the same. A null username sorts first.
 */
const priorityPeopleAfter = `
  with person as (
    select person_id from (
      select distinct on (person_id) person_id, "isPriority"
      from ${schema}.person_fields
      where $1::text is null or person_id >= $1
      order by person_id, ingested_at desc, row_id desc
    ) latest
    where "isPriority"
  )
  select distinct person.person_id, identifier."identifierValue" as network_username
  from person
  left join ${schema}.person_identifiers identifier
    on identifier.person_id = person.person_id and identifier."identifierType" = 'NETWORK'
  where $1::text is null
     or person.person_id > $1
     or case when $2::text is null then identifier."identifierValue" is not null
             else identifier."identifierValue" > $2 end
  order by person.person_id, network_username nulls first
  limit $3`;
