import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { StoreDatabase } from '../../test/store-database.js';
import { BudgetsStore, type BudgetKind } from './budgets.store.js';

describe('the largest share of a budget that is spent', () => {
  let database: StoreDatabase;
  let store: BudgetsStore;
  beforeAll(async () => {
    database = await StoreDatabase.create();
    store = new BudgetsStore(database.db, database.config);
  });
  beforeEach(() => database.db.rows('truncate "company_costsDev", "company_budgetsDev"'));
  afterAll(() => database.drop());

  const spend = (companyId: string, costMicroUsd: number, month: 'this' | 'the last one' = 'this') =>
    database.db.rows(
      `insert into "company_costsDev" (user_company_id, day, cost_micro_usd)
       select $1, date_trunc('month', now() at time zone 'UTC')::date - $3::int, $2`,
      [companyId, costMicroUsd, month === 'this' ? 0 : 1],
    );
  const budget = (companyId: string, kind: BudgetKind, budgetMicroUsd: number | null = null) =>
    store.add({ companyId, kind, budgetMicroUsd, changedBy: 'operator' });

  it('is 0 without costs, without budgets, and for a budget of nothing', async () => {
    expect(await store.largestShare(100)).toBe(0);
    await spend('none', 50);
    expect(await store.largestShare(null)).toBe(0);
    await budget('none', 'limited', 0);
    expect(await store.largestShare(100)).toBe(0);
  });

  it('is by the latest budget of each company, or that of the setting, and by the costs of this month', async () => {
    await spend('own', 50);
    await budget('own', 'limited', 10);
    await budget('own', 'limited', 200);
    await spend('unlimited', 10_000);
    await budget('unlimited', 'unlimited');
    await spend('earlier', 10_000, 'the last one');
    expect(await store.largestShare(null)).toBe(0.25);
    await spend('default', 40);
    expect(await store.largestShare(100)).toBe(0.4);
    await budget('own', 'default');
    expect(await store.largestShare(100)).toBe(0.5);
  });
});
