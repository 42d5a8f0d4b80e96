// Every form of the statement answers the same pages, for every order, with ties and nulls, page by page to the end.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { migrateDatabase } from '@tradewind/service-kit';
import { createTestDatabase, type TestDatabase } from '@tradewind/testkit';
import pg from 'pg';
import { migrations } from '../migrations.js';
import { orderKeys, pageStatement, type PageForm, type SortKey } from './page-query.js';

const date = (column: string, direction: 'asc' | 'desc'): SortKey => ({
  column,
  type: 'date',
  direction,
  isNullable: true,
});
const sorts: [string, SortKey[]][] = [
  ['id', []],
  ['id desc', [{ column: 'id', type: 'bigint', direction: 'desc', isNullable: false }]],
  ['announced desc', [date('announced_date', 'desc')]],
  ['end asc', [date('end_date', 'asc')]],
  ['announced asc, end desc', [date('announced_date', 'asc'), date('end_date', 'desc')]],
];
const range = { sql: 't.start_date >= $1::date and t.start_date <= $2::date', params: ['2024-01-02', '2024-01-05'] };
const all = { sql: 'true', params: [] };

describe('pageStatement', () => {
  let database: TestDatabase;
  let sql: pg.Pool;
  beforeAll(async () => {
    database = await createTestDatabase({
      name: 'gateway_pages',
      migrate: async (url) => {
        await migrateDatabase({ DATABASE_URL: url, DATABASE_SCHEMA: 'graphql_gateway' }, migrations);
      },
    });
    sql = new pg.Pool({ connectionString: database.url, options: '-c search_path=graphql_gateway', max: 1 });
    // Few distinct days, so that there are ties, and every fifth and seventh day unknown.
    await sql.query(`
      insert into deal (id, title, start_date, announced_date, end_date)
      select i, 'Deal ' || i, date '2024-01-01' + i % 8,
             case when i % 5 > 0 then date '2024-01-01' - (i * 7) % 4 end, case when i % 7 > 0 then date '2025-01-01' + (i * 5) % 6 end
        from generate_series(1, 90) i`);
  });
  afterAll(async () => {
    await sql.end();
    await database.drop();
  });

  async function pagesOf(
    form: PageForm,
    sort: readonly SortKey[],
    where: typeof range | typeof all,
  ): Promise<string[]> {
    const keys = orderKeys(sort);
    const texts = keys.map(({ column }) => `${column}::text`).join(', ');
    const titles: string[] = [];
    let after: (string | null)[] | null = null;
    for (;;) {
      const statement = pageStatement({ table: 'deal', columns: ['title'], where, sort, after, limit: 7, form });
      const { rows } = await sql.query<{ title: string }>(statement.text, [...statement.values]);
      titles.push(...rows.map(({ title }) => title));
      const last = rows.at(-1);
      if (!last) return titles;
      const found = await sql.query({
        text: `select ${texts} from deal where title = $1`,
        values: [last.title],
        rowMode: 'array',
      });
      after = found.rows[0] as (string | null)[];
    }
  }

  it.each(sorts)('narrow and covered pages are those of ordered: by %s', async (_name, sort) => {
    for (const where of [all, range]) {
      const ordered = await pagesOf('ordered', sort, where);
      expect(new Set(ordered).size).toBe(where === all ? 90 : 46);
      expect(await pagesOf('narrow', sort, where)).toEqual(ordered);
      expect(await pagesOf('covered', sort, where)).toEqual(ordered);
    }
  });
});
