// Tables, views and statements of the BigQuery warehouse. The SQL is the part of GoogleSQL that most engines share, and
// a test compares it with its committed text.
import type { TableMetadata } from '@google-cloud/bigquery';
import { columnsOf, itemColumnsOf } from './warehouse-rows.js';
import { runTables, warehouseTables, type Column, type RunTable, type WarehouseTable } from './warehouse-tables.js';

export interface DatasetName {
  projectId: string;
  dataset: string;
}

const columnTypes = {
  string: 'STRING',
  integer: 'INTEGER',
  boolean: 'BOOLEAN',
  timestamp: 'TIMESTAMP',
  json: 'JSON',
} as const satisfies Record<Column['type'], string>;

/** What each table is looked up by, so that a query reads only the blocks it needs. */
const clustering: Record<WarehouseTable, string[]> = {
  network_posts: ['provider_run_id', 'post_id'],
  network_post_comments: ['provider_run_id', 'post_id'],
  network_post_reactions: ['provider_run_id', 'post_id'],
  scraped_profile_calls: ['requestType', 'requestResource'],
  person_fields: ['person_id'],
  person_identifiers: ['person_id'],
};

export const tableNames = Object.keys(warehouseTables) as WarehouseTable[];

export function tableMetadata(table: WarehouseTable): TableMetadata {
  return {
    schema: {
      fields: columnsOf(table).map(([name, column]) => ({
        name,
        type: columnTypes[column.type],
        mode: column.nullable ? 'NULLABLE' : 'REQUIRED',
        description: column.description,
      })),
    },
    timePartitioning: { type: 'DAY', field: 'ingested_at' },
    clustering: { fields: clustering[table] },
  };
}

/**
 * Readers of the tables themselves may see a row twice: a repeat is recognised at once only for about a minute.
 * `<table>_distinct` shows each row_id once; `scraped_profile_calls_latest` the latest call of each profile.
 */
export function views(name: DatasetName): { name: string; query: string }[] {
  const distinct = tableNames.map((table) => ({
    name: `${table}_distinct`,
    query: firstOf({ from: tablePath(name, table), table, partition: ['row_id'], order: ['ingested_at'] }),
  }));
  const latest = {
    name: 'scraped_profile_calls_latest',
    query: firstOf({
      from: tablePath(name, 'scraped_profile_calls'),
      table: 'scraped_profile_calls',
      partition: ['requestType', 'requestResource'],
      order: ['requestDate desc', 'row_id desc', 'ingested_at'],
    }),
  };
  return [...distinct, latest];
}

/** The first row of each partition, all columns of the table. */
function firstOf(options: { from: string; table: WarehouseTable; partition: string[]; order: string[] }): string {
  const columns = columnsOf(options.table).map(([column]) => `\`${column}\``);
  const order = options.order.map((each) => each.replace(/^\w+/, (column) => `\`${column}\``));
  const partition = options.partition.map((column) => `\`${column}\``);
  return [
    `select ${columns.join(', ')} from (`,
    `  select ${columns.join(', ')},`,
    `    row_number() over (partition by ${partition.join(', ')} order by ${order.join(', ')}) as place`,
    `  from ${options.from}`,
    `) as numbered where place = 1`,
  ].join('\n');
}

function tablePath({ projectId, dataset }: DatasetName, table: WarehouseTable): string {
  return `\`${projectId}.${dataset}.${table}\``;
}

/** Number of distinct rows of a run; reads the blocks of that run only. Parameter: provider_run_id. */
export function countOfRun(name: DatasetName, table: WarehouseTable): string {
  return `select count(distinct row_id) as row_count from ${tablePath(name, table)} where provider_run_id = @provider_run_id`;
}

/**
 * One page of the distinct rows of a run, without their JSON: it reads the blocks of that run only. Parameters:
 * provider_run_id; after_row and, where the row before has a time, after_time.
 */
export function itemsOfRun(
  name: DatasetName,
  table: RunTable,
  { after, limit }: { after?: { at: Date | null } | undefined; limit: number },
): string {
  const columns = itemColumnsOf(table)
    .map(([column]) => `\`${column}\``)
    .join(', ');
  const time = runTables[table];
  const behindRow = 'row_id > @after_row';
  const behindTime = `${time} < @after_time or ${time} is null or ${time} = @after_time and ${behindRow}`;
  const behind = time === undefined ? behindRow : after?.at ? behindTime : `${time} is null and ${behindRow}`;
  return `select ${columns} from (
  select ${columns},
    row_number() over (partition by row_id order by ingested_at) as place
  from ${tablePath(name, table)} where provider_run_id = @provider_run_id
) as numbered where place = 1${after ? ` and (${behind})` : ''}
order by ${time ? `${time} is null, ${time} desc, ` : ''}row_id limit ${limit}`;
}

/** Parameters: requestResource, requestType. A tie is broken by row_id, as in the embedded warehouse. */
export function latestProfileCall(name: DatasetName): string {
  return [
    'select `requestResource`, `requestType`, `requestDate`, `requestStatus`, `responseData`',
    `from ${tablePath(name, 'scraped_profile_calls')}`,
    'where `requestType` = @requestType and `requestResource` = @requestResource',
    'order by `requestDate` desc, row_id desc limit 1',
  ].join('\n');
}

/**
 * Priority people behind the given one. Parameters: after_person, after_username, those of them that are not null.
 * A person counts as priority when the latest row says so; one with several usernames appears once for each.
 * One scan; the result is then read page by page.
 */
export function priorityPeopleAfter(
  name: DatasetName,
  after?: { person_id: string; network_username: string | null },
): string {
  const rest =
    after?.network_username === null
      ? 'identifier.`identifierValue` is not null'
      : 'identifier.`identifierValue` > @after_username';
  const behind = after ? `\n  and (person.person_id > @after_person or ${rest})` : '';
  return `select distinct person.person_id, identifier.\`identifierValue\` as network_username
from (
  select person_id, \`isPriority\`,
    row_number() over (partition by person_id order by ingested_at desc, row_id desc) as place
  from ${tablePath(name, 'person_fields')}${after ? '\n  where person_id >= @after_person' : ''}
) as person
left join ${tablePath(name, 'person_identifiers')} as identifier
  on identifier.person_id = person.person_id and identifier.\`identifierType\` = 'NETWORK'
where person.place = 1 and person.\`isPriority\`${behind}
order by person_id, network_username nulls first`;
}
