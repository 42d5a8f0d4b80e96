// Every form of the statement answers the same pages, for every order, with ties and nulls, page by page to the end.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { migrateDatabase } from '@tradewind/service-kit';
import { createTestDatabase, type TestDatabase, testPool } from '@tradewind/testkit';
import pg from 'pg';
import { migrations } from '../migrations.js';
import { orderKeys, type SortKey } from './page-order.js';
import { pageStatement, type DayRange, type IdBlocks, type PageForm } from './page-query.js';

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

  /** @param formAt the form of the page behind an id, or of the first */
  async function pagesOf(
    formAt: PageForm | ((id: string | null) => PageForm),
    sort: readonly SortKey[],
    where: Where,
  ): Promise<string[]> {
    const keys = orderKeys(sort);
    const texts = keys.map(({ column }) => `${column}::text`).join(', ');
    const titles: string[] = [];
    let after: (string | null)[] | null = null;
    for (;;) {
      const form = typeof formAt === 'function' ? formAt(after?.at(-1) ?? null) : formAt;
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

  it.each(sorts)('narrow pages are those of ordered: by %s', async (_name, sort) => {
    for (const where of [all, range]) {
      const ordered = await pagesOf('ordered', sort, where);
      expect(new Set(ordered).size).toBe(where === all ? 90 : 46);
      expect(await pagesOf('narrow', sort, where)).toEqual(ordered);
    }
  });

  it('covered pages are those of ordered', async () => {
    for (const where of [all, range]) {
      expect(await pagesOf('covered', [], where)).toEqual(await pagesOf('ordered', [], where));
    }
  });

  describe('by blocks of days', () => {
    // Days on both sides of the day that blocks are counted from, in 20 blocks, without the middle ones.
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
      'pages %s are those of ordered (%j, %j, by %s)',
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

  describe('by blocks of ids', () => {
    const idMax = 2n ** 63n - 1n;
    // Six in a block, and then one that has the greatest id there can be.
    beforeAll(async () => {
      await sql.query(
        `insert into deal (id, title)
         select i * 700::bigint, 'Deal ' || i || case when i % 3 = 0 then ' of sports' else '' end from generate_series(101, 400) i
         union all select $1::bigint, 'Last deal of sports'`,
        [String(idMax)],
      );
    });
    const some: Where = { sql: 't.title_search @@ $1::tsquery', params: [`'sports'`] };
    const none: Where = { ...some, params: [`'nothing'`] };
    const blocksFrom =
      (least: bigint, count: number, rest: IdBlocks['rest']) =>
      (id: string | null): IdBlocks => {
        const first = (id === null ? least : BigInt(id)) / 4096n;
        return { first, last: first + BigInt(count - 1), rest };
      };

    it.each(
      [1, 3, 60].flatMap((count) =>
        (['ordered', 'narrow'] as const).flatMap((rest) =>
          // The least id, one that others come before, and one that all come before.
          [1n, 100_000n, idMax].map((least) => [count, rest, least] as const),
        ),
      ),
    )('pages by %i, then %s, the first from id %s, are those of ordered', async (count, rest, least) => {
      for (const where of [all, some, none]) {
        const ordered = await pagesOf('ordered', [], where);
        if (where === some) expect(ordered).toHaveLength(101);
        expect(await pagesOf(blocksFrom(least, count, rest), [], where)).toEqual(ordered);
      }
    });

    it('reads from the table what the blocks have, and looks no further when that fills the page', async () => {
      await sql.query('analyze deal; set enable_seqscan = off; set plan_cache_mode = force_generic_plan');
      const form: IdBlocks = { first: 20n, last: 29n, rest: 'narrow' };
      const { text, values } = pageStatement({
        table: 'deal',
        columns: ['title'],
        where: some,
        sort: [],
        after: ['82000'],
        limit: 7,
        form,
      });
      await sql.query(`prepare page as ${text}`);
      const { rows } = await sql.query<{ 'QUERY PLAN': string }>(
        `explain (analyze, costs off) execute page(${values.map((value) => pg.escapeLiteral(String(value))).join()})`,
      );
      await sql.query('reset all; deallocate page');
      const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
      // A third of 10 blocks of six.
      expect(plan).toMatch(/Bitmap Index Scan on deal_title_search_by_id_block \(actual .*rows=(19|20)\.00/);
      expect(plan).toMatch(/Bitmap Heap Scan on deal t_1 \(never executed\)/);
    });
  });
});
