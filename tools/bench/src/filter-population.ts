// The records that filters are drawn from: some of each table, spread over its ids.
import { filterFields, NameDictionary, type FilterEntity, type RecordEntity } from '@tradewind/filters';
import type pg from 'pg';
import type { Population } from './drawn-filters.js';
import type { Row } from './drawn-filters.types.js';

const rowsOfEntity = 2_000;
const contactColumns =
  'id, person_id, company_id, user_id, import_id, opportunity_ids, collection_ids, matching_status, sync_source_type, sync_source_name, email, created_at, updated_at, tsvector_to_array(search) as search';

export async function readPopulation(sql: pg.Pool, userIds: readonly string[]): Promise<Population> {
  const named = async (table: string, more = '') =>
    (await sql.query<{ id: string; name: string; countryId: string }>(`select id, name${more} from ${table}`)).rows;
  const [cities, skills, languages] = [
    await named('city', ', country_id as "countryId"'),
    await named('skill'),
    await named('language'),
  ];
  return {
    rows: {
      company: await someRows(sql, 'company', columnsOf('company')),
      person: await someRows(sql, 'person', columnsOf('person')),
      deal: await someRows(sql, 'deal', columnsOf('deal')),
      contact: await someRows(sql, 'contact', contactColumns),
    },
    names: NameDictionary.of({ cities, skills, languages }),
    today: new Date().toISOString().slice(0, 10),
    userIds,
  };
}

function columnsOf(entity: FilterEntity): string {
  const columns = new Set<string>();
  for (const { stored } of filterFields[entity]) {
    if (stored.shape === 'one') columns.add(stored.type === 'date' ? `${stored.column}::text` : stored.column);
    if (stored.shape === 'list') columns.add(stored.column);
    if (stored.shape === 'words') {
      columns.add(`tsvector_to_array(${stored.column}) as ${stored.column}`);
      for (const { column } of stored.whole) columns.add(column);
    }
  }
  return [...columns].join(', ');
}

async function someRows(sql: pg.Pool, entity: RecordEntity, columns: string): Promise<Row[]> {
  // Ids have no gaps, and an id that is missing leaves a row out.
  const { rows } = await sql.query<Record<string, unknown>>(
    `select ${columns} from ${entity}
      where id in (select least + n * (most - least) / ${rowsOfEntity}
                     from (select min(id) as least, max(id) as most from ${entity}) ends, generate_series(0, ${rowsOfEntity}) n)
      order by id`,
  );
  return rows.map((row) =>
    Object.fromEntries(
      Object.entries(row).map(([name, value]) => [name, value instanceof Date ? value.toISOString() : value]),
    ),
  );
}
