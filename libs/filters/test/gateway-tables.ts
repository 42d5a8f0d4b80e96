// The gateway's data tables in a test database, made by the gateway's own migration: only the real tables prove that
// columns and SQL fit. A lib must not import an app, so the migration is loaded by its path.
import { createTestDatabase, type TestDatabase } from '@tradewind/testkit';
import pg from 'pg';

const migrationPath = '../../../apps/graphql-gateway/src/data-tables/0001-data-tables.ts';

export interface GatewayDatabase {
  client: pg.Client;
  drop(): Promise<void>;
}

export async function createGatewayDatabase(): Promise<GatewayDatabase> {
  const database: TestDatabase = await createTestDatabase({ name: 'filters_gateway_tables', migrate });
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  return {
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
  await client.query(dataTables.up);
  await client.end();
}
