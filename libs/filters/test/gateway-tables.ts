// The gateway's data tables in a test database, made by the gateway's own migration: only the real tables prove that
// columns and SQL fit. A lib must not import an app, so the migration is loaded by its path.
import { createTestDatabase, type TestDatabase } from '@tradewind/testkit';
import pg from 'pg';
import type { FilterEntity, FilterRecord } from '../src/index.js';

const migrationPath = '../../../apps/graphql-gateway/src/data-tables/0001-data-tables.ts';

export interface GatewayDatabase {
  client: pg.Client;
  /** Replaces the rows of the entity's table. A record's id is its position in the list, from 1. */
  store(entity: FilterEntity, records: readonly FilterRecord[]): Promise<void>;
  drop(): Promise<void>;
}

export async function createGatewayDatabase(): Promise<GatewayDatabase> {
  const database: TestDatabase = await createTestDatabase({ name: 'filters_gateway_tables', migrate });
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  return {
    client,
    async store(entity, records) {
      const columns = Object.keys(records[0]!).join(', ');
      await client.query(`truncate ${entity}`);
      await client.query(
        `insert into ${entity} (id, ${columns}) select place, ${columns} from json_populate_recordset(null::${entity}, $1::json)
       with ordinality as given(${await columnsOf(client, entity)}, place)`,
        [JSON.stringify(records)],
      );
    },
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

async function columnsOf(client: pg.Client, entity: FilterEntity): Promise<string> {
  const { rows } = await client.query<{ names: string }>(
    `select string_agg(quote_ident(attname), ', ' order by attnum) as names from pg_attribute
     where attrelid = $1::regclass and attnum > 0 and not attisdropped`,
    [entity],
  );
  // A record's id is its position in the list; its own column `id` is empty.
  return rows[0]!.names.replace(/^id\b/, 'no_id');
}
