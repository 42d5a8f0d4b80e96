// Every form of the statement gives the same pages, for every order, with ties and nulls, to the last page.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { migrateDatabase } from '@tradewind/service-kit';
import { createTestDatabase, type TestDatabase, testPool } from '@tradewind/testkit';
import pg from 'pg';
import { migrations } from '../migrations.js';
import { orderKeys, type SortKey } from './page-order.js';
import { pageStatement, type DayRange, type PageForm } from './page-query.js';

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
interface Where {
  sql: string;
  params: string[];
}
const range: Where = {
  sql: 't.start_date >= $1::date and t.start_date <= $2::date',
  params: ['2024-01-02', '2024-01-05'],
};
const oneDay: Where = { sql: 't.start_date = $1::date', params: ['2024-01-08'] };
const all: Where = { sql: 'true', params: [] };

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
    sql = testPool({ connectionString: database.url, options: '-c search_path=graphql_gateway', max: 1 });
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

  async function pagesOf(form: PageForm, sort: readonly SortKey[], where: Where): Promise<string[]> {
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

  it.each(sorts.flatMap((sort) => [1, 7, 20, 89, 90, 1000].map((walkedMax) => [...sort, walkedMax] as const)))(
    'the form narrow gives the same pages as ordered (by %s, %j, walking at most %i)',
    async (_name, sort, walkedMax) => {
      for (const where of [all, range, oneDay]) {
        const ordered = await pagesOf('ordered', sort, where);
        expect(new Set(ordered).size).toBe(
          new Map([
            [all, 90],
            [range, 46],
            [oneDay, 11],
          ]).get(where),
        );
        expect(await pagesOf({ walkedMax }, sort, where)).toEqual(ordered);
      }
    },
  );

  it('a narrow page finds every match only when it may walk far enough', async () => {
    const planOf = async (walkedMax: number) => {
      const { text, values } = pageStatement({
        table: 'deal',
        columns: ['title'],
        where: oneDay,
        sort: [],
        after: null,
        limit: 2,
        form: { walkedMax },
      });
      const { rows } = await sql.query<{ 'QUERY PLAN': string }>(`explain (analyze, costs off) ${text}`, [...values]);
      return rows.map((row) => row['QUERY PLAN']).join('\n');
    };
    // The first deal of the day is the seventh of all, the second the fifteenth.
    // PostgreSQL chooses which of the indexes that begin with the start date it takes.
    const found = /Index Scan using \w+ on deal \w+ \(actual[^\n]*\n\s*Index Cond: \(start_date = /;
    await sql.query('set enable_seqscan = off; set enable_bitmapscan = off');
    expect(await planOf(10)).toMatch(found);
    expect(await planOf(20)).not.toMatch(found);
    await sql.query('reset all');
  });

  describe('by blocks of days', () => {
    // Days on both sides of the day from which blocks are counted, in 20 blocks without those in the middle.
    beforeAll(async () => {
      await sql.query(`
        insert into deal (id, title, type, start_date, announced_date, end_date)
        select i, 'Deal ' || i, case when i % 3 = 0 then 'MEDIA' end,
               case when i % 11 > 0 then date '2000-01-01' + (i * 37) % 280 * (i % 2 * 2 - 1) end,
               case when i % 5 > 0 then date '1999-10-01' - (i * 7) % 25 end, case when i % 7 > 0 then date '2001-01-01' + (i * 5) % 6 end
          from generate_series(1001, 1400) i`);
    });
    const sorts: [string, SortKey][] = (['announced_date', 'end_date'] as const).flatMap((column) =>
      (['asc', 'desc'] as const).map((direction): [string, SortKey] => [
        `${column} ${direction}`,
        date(column, direction),
      ]),
    );
    const conditions: [string, Where, Partial<DayRange>][] = [
      [
        'between two days',
        { sql: 't.start_date >= $1::date and t.start_date < $2::date', params: ['1999-11-05', '2000-03-20'] },
        { first: '1999-11-05', last: '2000-03-20' },
      ],
      [
        'of one day',
        { sql: 't.start_date = $1::date', params: ['2000-01-30'] },
        { first: '2000-01-30', last: '2000-01-30' },
      ],
      ['from a day on', { sql: 't.start_date > $1::date', params: ['1999-12-31'] }, { first: '1999-12-31' }],
      ['up to a day', { sql: 't.start_date <= $1::date', params: ['2000-01-01'] }, { last: '2000-01-01' }],
      ['of any day', { sql: 't.start_date is not null', params: [] }, {}],
      [
        'between two days far apart',
        { sql: 't.start_date > $1::date and t.start_date < $2::date', params: ['0001-01-01', '9999-12-31'] },
        { first: '0001-01-01', last: '9999-12-31' },
      ],
      ['of a day before all', { sql: 't.start_date < $1::date', params: ['1900-01-01'] }, { last: '1900-01-01' }],
      [
        'of two ranges',
        { sql: '(t.start_date < $1::date or t.start_date > $2::date)', params: ['1999-06-01', '2000-06-01'] },
        {},
      ],
      [
        'and of a type',
        {
          sql: `t.type = $3::text and t.start_date >= $1::date and t.start_date <= $2::date`,
          params: ['1999-01-01', '2024-01-04', 'MEDIA'],
        },
        { first: '1999-01-01', last: '2024-01-04' },
      ],
      [
        'that have ended',
        {
          sql: '(t.end_date < $1::date and (t.start_date is null or t.start_date <= $1::date))',
          params: ['2001-01-04'],
        },
        { column: 'end_date', last: '2001-01-04' },
      ],
      [
        'that have not ended',
        { sql: '(t.end_date is null or t.end_date >= $1::date)', params: ['2001-01-04'] },
        { column: 'end_date', first: '2001-01-04', orUnknown: true },
      ],
    ];

    it.each(conditions.flatMap((condition) => sorts.map((sort) => [...condition, ...sort] as const)))(
      'pages %s are the same as with ordered (%j, %j, by %s)',
      async (_name, where, days, _order, key) => {
        const ordered = await pagesOf('ordered', [key], where);
        expect(ordered.length > 0).toBe(days.last !== '1900-01-01');
        expect(await pagesOf({ column: 'start_date', ...days }, [key], where)).toEqual(ordered);
      },
    );

    it('reads no more of a block than a page', async () => {
      await sql.query('analyze deal; set enable_seqscan = off; set enable_bitmapscan = off');
      const [, where, days] = conditions[0]!;
      const { text, values } = pageStatement({
        table: 'deal',
        columns: ['title'],
        where,
        sort: [date('announced_date', 'desc')],
        after: null,
        limit: 3,
        form: { column: 'start_date', ...days },
      });
      const { rows } = await sql.query<{ 'QUERY PLAN': string }>(`explain (analyze, costs off) ${text}`, [...values]);
      await sql.query('reset all');
      const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
      // 4 blocks of 3 rows.
      expect(plan).toMatch(
        /Index Only Scan using deal_start_blocks_by_announced_with_end on deal .*rows=3\.00 loops=4/,
      );
    });
  });

  it.each([
    [date('end_date', 'asc'), '>='],
    [date('end_date', 'desc'), '<='],
  ] as const)('pages from a day on are those of ordered (%j)', async (key, isBehind) => {
    const where = { sql: `(t.end_date is null or t.end_date ${isBehind} $1::date)`, params: ['2025-01-03'] };
    const ordered = await pagesOf('ordered', [key], where);
    expect(ordered.length).toBeGreaterThan(80);
    expect(await pagesOf({ from: '2025-01-03' }, [key], where)).toEqual(ordered);
  });
});
