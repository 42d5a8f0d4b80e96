// DDL of the embedded warehouse, generated from warehouse-tables.ts. A second run of a statement has no effect.
import { columnsOf } from './warehouse-rows.js';
import { runTables, warehouseTables, type Column, type WarehouseTable } from './warehouse-tables.js';

export const schema = 'warehouse';

// Text is compared by bytes, as in BigQuery, so that both read people in the same order.
const columnTypes = {
  string: 'text collate "C"',
  integer: 'bigint',
  boolean: 'boolean',
  timestamp: 'timestamptz',
  json: 'jsonb',
} as const satisfies Record<Column['type'], string>;

export function migrationStatements(): string[] {
  const tables = Object.keys(warehouseTables) as WarehouseTable[];
  return [
    `create schema if not exists ${schema}`,
    ...tables.flatMap((table) => [
      `create table if not exists ${schema}.${table} (row_id text collate "C" primary key)`,
      ...columnsOf(table).flatMap(([name, column]) => [
        `alter table ${schema}.${table} add column if not exists "${name}" ${columnTypes[column.type]}${column.nullable ? '' : ' not null'}`,
        `comment on column ${schema}.${table}."${name}" is '${column.description.replaceAll("'", "''")}'`,
      ]),
    ]),
    // countOfRun, readItemsOfRun
    ...Object.keys(runTables).map(
      (table) => `create index if not exists ${table}_run_idx on ${schema}.${table} (provider_run_id)`,
    ),
    // latestProfileCall
    `create index if not exists scraped_profile_calls_latest_idx
       on ${schema}.scraped_profile_calls ("requestType", "requestResource", "requestDate" desc, row_id desc)`,
    // readPriorityPeople
    `create index if not exists person_fields_latest_idx
       on ${schema}.person_fields (person_id, ingested_at desc, row_id desc) include ("isPriority")`,
    `create index if not exists person_identifiers_person_idx
       on ${schema}.person_identifiers (person_id, "identifierType", "identifierValue")`,
    `create or replace view ${schema}.scraped_profile_calls_latest as
       select distinct on ("requestType", "requestResource") *
       from ${schema}.scraped_profile_calls
       order by "requestType", "requestResource", "requestDate" desc, row_id desc`,
  ];
}
