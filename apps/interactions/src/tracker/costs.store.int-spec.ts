import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Db } from '@tradewind/service-kit';
import { parseMonth } from '@tradewind/shared-types';
import { type ExplainedRow, rowsRead } from '@tradewind/testkit';
import { StoreDatabase } from '../../test/store-database.js';
import { BudgetsStore } from '../budgets/budgets.store.js';
import { CostsStore, type CompanyPage } from './costs.store.js';

const month = parseMonth('2026-10');
const companiesCount = 5_000;
const nameOf = (n: number) => `company-${String(n).padStart(5, '0')}`;

describe('a page of companies', () => {
  let database: StoreDatabase;
  beforeAll(async () => {
    database = await StoreDatabase.create();
    const companies = `select 'company-' || lpad(n::text, 5, '0') as name, n from generate_series(1, ${companiesCount}) n`;
    await database.db.rows(
      `insert into "company_costsDev" (user_company_id, day, cost_micro_usd)
       select name, day, n from (${companies}) as companies, (values (date '2026-10-01'), ('2026-10-31')) as days (day)
       union all values ('earlier', date '2026-09-30', 1), ('later', '2026-11-01', 1)`,
    );
    await database.db.rows(
      `insert into "company_budgetsDev" (user_company_id, kind, budget_micro_usd, changed_by)
       select name, kind, budget, 'console'
       from (${companies}) as companies, (values (1, 'limited', 1), (2, 'unlimited', null)) as kinds (place, kind, budget)
       order by place, n`,
    );
    await database.db.rows('analyze "company_costsDev", "company_budgetsDev"');
  });
  afterAll(() => database.drop());

  const cost = (n: number) => [nameOf(n), { spentMicroUsd: 2 * n, reservedMicroUsd: 0 }];
  const numbersFrom = (first: number, count: number) => Array.from({ length: count }, (_, place) => first + place);

  it('has the next ones by name with the costs of the month, and no month beside it', async () => {
    const list = async (page: CompanyPage) => [...(await database.costs.list(month, page))];
    expect(await list({ limit: 3 })).toEqual(numbersFrom(1, 3).map(cost));
    expect(await list({ after: nameOf(4_321), limit: 3 })).toEqual(numbersFrom(4_322, 3).map(cost));
    expect(await list({ after: nameOf(companiesCount), limit: 3 })).toEqual([]);
    expect(await list({ companyId: nameOf(7), limit: 3 })).toEqual([cost(7)]);
    expect(await list({})).toEqual(numbersFrom(1, companiesCount).map(cost));
  });

  it('has the costs and the latest budgets without reading those of other companies', async () => {
    const page = { after: nameOf(2_500), limit: 11 };
    const rowsReadBy = async (act: (db: Db) => Promise<unknown>) => {
      let count = 0;
      const explaining = {
        rows: async (text: string, values: unknown[]) => {
          const [row] = await database.db.rows<ExplainedRow>(`explain (analyze, format json) ${text}`, values);
          count += rowsRead(row!);
          return [];
        },
      };
      // The stores call nothing else of it.
      await act(explaining as unknown as Db);
      return count;
    };
    const costRows = await rowsReadBy((db) => new CostsStore(db, database.config).list(month, page));
    const budgetRows = await rowsReadBy((db) => new BudgetsStore(db, database.config).listOwn(page));
    // Each of two days finds the companies of the page, whose two days are then summed up.
    expect(costRows).toBe(4 * page.limit);
    // Two changes of each, and for the first of them the look for a later one.
    expect(budgetRows).toBeGreaterThanOrEqual(page.limit);
    expect(budgetRows).toBeLessThanOrEqual(3 * page.limit);
  });
});
