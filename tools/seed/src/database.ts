// The connection of the data tools: one client, its search path on the schema of the data tables.
import pg from 'pg';
import type { Entity } from './data-tables.js';
import type { Settings } from './settings.js';

/**
 * Connects and makes sure that the data tables are there and that no other data tool works on them. The lock belongs to
 * the connection, so it ends with the process however that ends.
 * @throws an error that says what to do.
 */
export async function connectExclusively(settings: Settings): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: settings.databaseUrl,
    application_name: 'tradewind-seed',
    options: `-c search_path=${settings.schema} -c statement_timeout=0`,
  });
  try {
    await client.connect();
  } catch (error) {
    const { host, port } = client;
    throw new Error(`PostgreSQL does not answer at ${host}:${port}. Start the platform, or set DATABASE_URL.`, {
      cause: error,
    });
  }
  try {
    const { rows } = await client.query<{ table: string | null; isFree: boolean }>(
      `select to_regclass($1)::text as table, pg_try_advisory_lock(hashtext('tradewind-seed'), hashtext($2)) as "isFree"`,
      [`${settings.schema}.company`, settings.schema],
    );
    if (rows[0]!.table === null) {
      throw new Error(
        `There are no data tables in schema ${settings.schema}. Run the gateway's command "migrate" first.`,
      );
    }
    if (!rows[0]!.isFree)
      throw new Error(`Another seed or import works on schema ${settings.schema}. Wait for it to end.`);
    return client;
  } catch (error) {
    await client.end();
    throw error;
  }
}

/** Runs the work in a transaction of the client. */
export async function inTransaction<T>(client: pg.Client, work: () => Promise<T>): Promise<T> {
  await client.query('begin');
  try {
    const result = await work();
    await client.query('commit');
    return result;
  } catch (error) {
    // The connection may be gone; the first error is the one to report.
    await client.query('rollback').catch(() => undefined);
    throw error;
  }
}

/** Index-only scans need the visibility map and good plans need statistics; both are due after a load. */
export async function vacuumAnalyze(client: pg.Client, tables: Iterable<Entity>): Promise<void> {
  for (const table of tables) await client.query(`vacuum (analyze) ${table}`);
}
