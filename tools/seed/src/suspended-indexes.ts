// Indexes built after a large load cost a fraction of indexes kept up row by row. Definitions of dropped indexes are
// stored in the database in the transaction that drops them. So a run that was cut off loses none; the next run of any
// data tool builds them again.
import type pg from 'pg';
import type { Entity } from './data-tables.js';
import { inTransaction } from './database.js';

/** Drops the indexes of the table but its primary key, until `restoreIndexes`. */
export async function suspendIndexes(client: pg.Client, table: Entity): Promise<void> {
  await makeStore(client);
  await inTransaction(client, async () => {
    const { rows } = await client.query<{ name: string }>(
      `insert into data_import.suspended_index (target_schema, index_name, definition)
       select current_schema(), relname, pg_get_indexdef(oid) from pg_class
       where oid in (select indexrelid from pg_index where indrelid = $1::regclass and not indisprimary)
         and not exists (select from pg_constraint where conindid = pg_class.oid)
       returning quote_ident(index_name) as name`,
      [table],
    );
    if (rows.length > 0) await client.query(`drop index ${rows.map(({ name }) => name).join(', ')}`);
  });
}

/** Builds what is suspended in this schema. */
export async function restoreIndexes(client: pg.Client, onIndex?: (name: string) => void): Promise<void> {
  await makeStore(client);
  const { rows } = await client.query<{ index_name: string; definition: string }>(
    'select index_name, definition from data_import.suspended_index where target_schema = current_schema() order by index_name',
  );
  if (rows.length === 0) return;
  // 512 MB: the largest GIN of a million rows is built in one go.
  await client.query(`set maintenance_work_mem = '512MB'`);
  for (const { index_name, definition } of rows) {
    onIndex?.(index_name);
    await inTransaction(client, async () => {
      await client.query(definition);
      await client.query(
        'delete from data_import.suspended_index where target_schema = current_schema() and index_name = $1',
        [index_name],
      );
    });
  }
}

async function makeStore(client: pg.Client): Promise<void> {
  await client.query(`
    create schema if not exists data_import;
    create table if not exists data_import.suspended_index (
      target_schema text not null,
      index_name text not null,
      definition text not null,
      primary key (target_schema, index_name)
    )`);
}
