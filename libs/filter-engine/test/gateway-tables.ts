// The gateway's data tables in a test database, made by the gateway's own migrations. A lib must not import an app, so
// the migrations are loaded by their path.
import { createTestDatabase, testPool, type TestDatabase } from '@tradewind/testkit';
import pg from 'pg';

const folder = '../../../apps/graphql-gateway/src/data-tables/';

export interface GatewayTables {
  url: string;
  sql: pg.Pool;
  drop(): Promise<void>;
}

export async function createGatewayTables(): Promise<GatewayTables> {
  const database: TestDatabase = await createTestDatabase({ name: 'filter_engine_tables', migrate });
  const sql = testPool({ connectionString: database.url, max: 4 });
  return {
    url: database.url,
    sql,
    async drop() {
      await sql.end();
      await database.drop();
    },
  };
}

async function migrate(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const files = [
    '0001-data-tables',
    '0004-company-changes',
    '0013-changes-of-all-records',
    '0015-parts-of-large-changes',
  ];
  for (const file of files.map((name) => `${name}.ts`)) {
    const path: string = new URL(`${folder}${file}`, import.meta.url).pathname;
    for (const { up } of Object.values((await import(path)) as Record<string, { up: string }>)) await client.query(up);
  }
  await client.end();
}
