import { Injectable } from '@nestjs/common';
import { Db } from '@tradewind/service-kit';
import { AppConfig } from '../app.config.js';
import type { CompanyPage } from '../tracker/costs.store.js';
import { trackerTables } from '../tracker/tracker-tables.js';

/** `default`: that of the setting. */
export type BudgetKind = 'limited' | 'unlimited' | 'default';

export interface BudgetChange {
  companyId: string;
  kind: BudgetKind;
  /** Millionths of a US dollar; null unless it is limited. */
  budgetMicroUsd: number | null;
  /** The caller, or `operator`. */
  changedBy: string;
  changedAt: Date;
}

interface ChangeRow {
  user_company_id: string;
  kind: BudgetKind;
  budget_micro_usd: string | null;
  changed_by: string;
  changed_at: Date;
}

/** Every change of a budget. Rows are only added, and the latest of a company counts. */
@Injectable()
export class BudgetsStore {
  private readonly table: string;
  private readonly costs: string;

  constructor(
    private readonly db: Db,
    config: AppConfig,
  ) {
    const { companyBudgets, companyCosts } = trackerTables(config.ENVIRONMENT);
    this.table = companyBudgets;
    this.costs = companyCosts;
  }

  /** Of one company, the latest first. */
  async listChanges(companyId: string, limit: number): Promise<BudgetChange[]> {
    const rows = await this.db.rows<ChangeRow>(
      `select * from ${this.table} where user_company_id = $1 order by change_id desc limit $2`,
      [companyId, limit],
    );
    return rows.map(toChange);
  }

  /** The latest change of each company that has a budget of its own, by name, through the index `budgets_by_name`. */
  async listOwn({ companyId, after, limit }: CompanyPage): Promise<BudgetChange[]> {
    const name = 'user_company_id collate "C"';
    const rows = await this.db.rows<ChangeRow>(
      `select * from ${this.table} as latest
       where ($1::text is null or user_company_id = $1) and ${name} > coalesce($2::text, '') and kind <> 'default'
         and not exists (select from ${this.table} as later
                         where later.user_company_id = latest.user_company_id and later.change_id > latest.change_id)
       order by ${name} limit $3`,
      [companyId ?? null, after ?? null, limit ?? null],
    );
    return rows.map(toChange);
  }

  /**
   * The largest share of its budget that a company has spent this month (UTC); 0 without budgets.
   * @param defaultMicroUsd what a company without a budget of its own may spend; null without a limit
   */
  async largestShare(defaultMicroUsd: number | null): Promise<number> {
    const [row] = await this.db.rows<{ share: number }>(
      `with spent as (
         select user_company_id, sum(cost_micro_usd) as spent from ${this.costs}
         where day >= date_trunc('month', now()::timestamptz(3) at time zone 'UTC')::date group by user_company_id
       ), own as (
         select distinct on (user_company_id) user_company_id, kind, budget_micro_usd from ${this.table}
         order by user_company_id, change_id desc
       )
       select coalesce(max(spent / nullif(
         case when coalesce(kind, 'default') = 'default' then $1::bigint else budget_micro_usd end, 0)), 0)::float8 as share
       from spent left join own using (user_company_id)`,
      [defaultMicroUsd],
    );
    return row!.share;
  }

  async add({ companyId, kind, budgetMicroUsd, changedBy }: Omit<BudgetChange, 'changedAt'>): Promise<void> {
    await this.db.affected(
      `insert into ${this.table} (user_company_id, kind, budget_micro_usd, changed_by) values ($1, $2, $3, $4)`,
      [companyId, kind, budgetMicroUsd, changedBy],
    );
  }
}

function toChange(row: ChangeRow): BudgetChange {
  return {
    companyId: row.user_company_id,
    kind: row.kind,
    budgetMicroUsd: row.budget_micro_usd === null ? null : Number(row.budget_micro_usd),
    changedBy: row.changed_by,
    changedAt: row.changed_at,
  };
}
