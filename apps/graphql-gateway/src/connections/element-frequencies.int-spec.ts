// What the plan of a page knows, from the statistics of PostgreSQL or by counting.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { migrateDatabase } from '@tradewind/service-kit';
import { createTestDatabase, type TestDatabase, testPool } from '@tradewind/testkit';
import type pg from 'pg';
import { Clock } from '../clock.js';
import type { DataStore, Statement } from '../data-store/data-store.js';
import { migrations } from '../migrations.js';
import { ElementFrequencies } from './element-frequencies.js';

const rows = 3000;
const search = { column: 'search', type: 'tsvector' } as const;
const locations = { column: 'location_ids', type: 'bigint[]' } as const;

describe('ElementFrequencies', () => {
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
    await sql.query(
      `insert into company (id, name, location_ids)
       select 10 * i, case when i % 3 = 0 then 'Harbour Light' when i = 1 then 'Solitary' else 'Harvest' end,
              case when i % 2 = 0 then '{4}' else '{5}' end::bigint[] || case when i = 7 then '{6}' else '{}' end::bigint[]
         from generate_series(1, $1) i`,
      [rows],
    );
  });
  afterAll(async () => {
    await sql.end();
    await database.drop();
  });

  const read = () =>
    new ElementFrequencies(
      {
        query: async ({ text, values }: Statement) => (await sql.query<never>(text, [...values])).rows,
      } as unknown as DataStore,
      new Clock(),
    );

  it('counts, and knows no ids, before the table was analysed', async () => {
    expect(await read().ids('company')).toEqual([]);
    expect((await read().of('company', search, ['harbour', 'sol*'])).records).toEqual([rows / 3, 1]);
    expect((await read().of('company', locations, ['4', '6', '9'])).records).toEqual([rows / 2, 1, 0]);
  });

  describe('once it was', () => {
    beforeAll(async () => void (await sql.query('analyze company')));

    it('knows common words and ids from the statistics, and counts the others', async () => {
      const words = await read().of('company', search, ['harbour', 'solitary', 'nowhere', 'har*', 'sol*']);
      expect(words.tableRecords).toBe(rows);
      // Statistics hold shares in single precision.
      expect(words.records.map(Math.round)).toEqual([rows / 3, 1, 0, rows - 1, 1]);
      const ids = await read().of('company', locations, ['4', '6', '9']);
      expect(ids.records.map(Math.round)).toEqual([rows / 2, 1, 0]);
    });

    it('knows ids at equal distances from the least to the greatest', async () => {
      const ids = await read().ids('company');
      expect(ids).toHaveLength(101);
      expect([ids[0], ids.at(-1)]).toEqual([10n, BigInt(10 * rows)]);
    });
  });
});
