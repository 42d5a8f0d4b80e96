import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { Month } from '@tradewind/shared-types';
import { AppConfig } from '../app.config.js';
import { AppEvents } from '../events.js';
import { toMicroUsd } from '../micro-usd.js';
import { CostsStore, type CompanyPage, type Costs, type DayCosts, type MonthCosts } from '../tracker/costs.store.js';
import { BudgetsStore, type BudgetChange } from './budgets.store.js';

/** What a company may spend in a month. */
export interface Budget {
  /** Millionths of a US dollar; null without a limit. */
  budgetMicroUsd: number | null;
  /** Whether it is the one of the setting, and not one of the company itself. */
  isDefault: boolean;
}

export interface CompanyCosts extends Budget, Costs {
  companyId: string;
}

/** Changes that are shown of one company. */
const changesMax = 100;

/** Budgets of companies, and what is left of them. Whoever starts runs asks here what the company may spend. */
@Injectable()
export class BudgetsService implements OnModuleInit {
  constructor(
    private readonly store: BudgetsStore,
    private readonly costs: CostsStore,
    private readonly events: AppEvents,
    private readonly config: AppConfig,
  ) {}

  onModuleInit(): void {
    this.events.gauge(
      'budget_spent_ratio_max',
      'Largest share of its budget of this month that a company has spent; 0 without budgets',
      () => this.store.largestShare(this.budgetAfter(undefined).budgetMicroUsd),
      // It adds up the costs of all companies: 1.7 s for 100,000.
      { everyMs: 60_000 },
    );
  }

  async get(companyId: string): Promise<Budget> {
    const [latest] = await this.store.listChanges(companyId, 1);
    return this.budgetAfter(latest);
  }

  /** @param budgetMicroUsd null: without a limit, whatever the setting says */
  async set(companyId: string, budgetMicroUsd: number | null, changedBy: string): Promise<void> {
    await this.change({
      companyId,
      kind: budgetMicroUsd === null ? 'unlimited' : 'limited',
      budgetMicroUsd,
      changedBy,
    });
  }

  /** Gives the company the budget of the setting. */
  async clear(companyId: string, changedBy: string): Promise<void> {
    await this.change({ companyId, kind: 'default', budgetMicroUsd: null, changedBy });
  }

  /**
   * Companies with a budget of their own, or with costs in the month, by the code points of their names.
   * @param month the present one unless given
   */
  async list(month?: Month, page: CompanyPage = {}): Promise<CompanyCosts[]> {
    // Each of both has the first ones of its kind, so the first ones of all are among them.
    const [own, costs] = await Promise.all([this.store.listOwn(page), this.costs.list(month, page)]);
    const changes = new Map(own.map((change) => [change.companyId, change]));
    const companies = [...new Set([...changes.keys(), ...costs.keys()])].sort(byCodePoints).slice(0, page.limit);
    return companies.map((companyId) => ({
      companyId,
      ...this.budgetAfter(changes.get(companyId)),
      ...(costs.get(companyId) ?? { spentMicroUsd: 0, reservedMicroUsd: 0 }),
    }));
  }

  /** One company in a month, with its days and who changed its budget, the latest change first. */
  async show(
    companyId: string,
    month?: Month,
  ): Promise<CompanyCosts & MonthCosts & { days: DayCosts[]; changes: BudgetChange[] }> {
    const [costs, days, changes] = await Promise.all([
      this.costs.get(companyId, month),
      this.costs.listDays(companyId, month),
      this.store.listChanges(companyId, changesMax),
    ]);
    return { companyId, ...this.budgetAfter(changes[0]), ...costs, days, changes };
  }

  private budgetAfter(latest: BudgetChange | undefined): Budget {
    if (latest && latest.kind !== 'default') return { budgetMicroUsd: latest.budgetMicroUsd, isDefault: false };
    const usd = this.config.COMPANY_BUDGET_USD;
    return { budgetMicroUsd: usd === undefined ? null : toMicroUsd(usd), isDefault: true };
  }

  private async change(change: Omit<BudgetChange, 'changedAt'>): Promise<void> {
    await this.store.add(change);
    const { companyId, kind, budgetMicroUsd, changedBy } = change;
    this.events.emit('budget_changed', {
      ...{ user_company_id: companyId, kind, budget_micro_usd: budgetMicroUsd, caller: changedBy },
    });
  }
}

/** As PostgreSQL orders texts with the collation C. */
const byCodePoints = (one: string, other: string): number => Buffer.compare(Buffer.from(one), Buffer.from(other));
