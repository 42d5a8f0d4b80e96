// A test database with the gateway's data tables, made by the gateway's own migration. Tools import no app; the
// migration is loaded by its path, because only the real tables prove that the columns fit.
import { createTestDatabase } from '@tradewind/testkit';
import pg from 'pg';
import { entities } from '../src/data-tables.js';
import { connectExclusively } from '../src/database.js';
import type { Settings } from '../src/settings.js';

const migrationPath = '../../../apps/graphql-gateway/src/data-tables/0001-data-tables.ts';
const schema = 'graphql_gateway';

export interface GatewayDatabase {
  settings: Settings;
  /** A connection that holds the lock of the data tools. */
  client: pg.Client;
  drop(): Promise<void>;
}

export async function createGatewayDatabase(): Promise<GatewayDatabase> {
  const database = await createTestDatabase({ name: 'seed_gateway_tables', migrate });
  const settings = { databaseUrl: database.url, schema, warehouseDatabaseUrl: database.url };
  const client = await connectExclusively(settings);
  return {
    settings,
    client,
    async drop() {
      await client.end();
      await database.drop();
    },
  };
}

async function migrate(url: string): Promise<void> {
  const path: string = new URL(migrationPath, import.meta.url).pathname;
  const { dataTables } = (await import(path)) as { dataTables: { up: string } };
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(`create schema ${schema}; set search_path to ${schema}; ${dataTables.up}`);
  await client.end();
}

/** One text for all rows of a table, to compare two states. */
export async function fingerprint(client: pg.Client, table: string): Promise<string> {
  const { rows } = await client.query<{ print: string }>(
    `select count(*) || ' ' || coalesce(md5(string_agg(row::text, '' order by id)), '') as print from ${table} row`,
  );
  return rows[0]!.print;
}

/** The fingerprints of the four tables. */
export async function fingerprints(client: pg.Client): Promise<string[]> {
  const prints = [];
  for (const entity of entities) prints.push(await fingerprint(client, entity));
  return prints;
}
