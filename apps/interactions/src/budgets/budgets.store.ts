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

  constructor(
    private readonly db: Db,
    config: AppConfig,
  ) {
    this.table = trackerTables(config.ENVIRONMENT).companyBudgets;
  }

  /** Of one company, the latest first. */
  async listChanges(companyId: string, limit: number): Promise<BudgetChange[]> {
    const rows = await this.db.rows<ChangeRow>(
      `select * from ${this.table} where user_company_id = $1 order by change_id desc limit $2`,
      [companyId, limit],
    );
    return rows.map(toChange);
  }

  /** The latest change of each company that has a budget of its own, by name. */
  async listOwn({ companyId, after, limit }: CompanyPage): Promise<BudgetChange[]> {
    const rows = await this.db.rows<ChangeRow>(
      `select * from (
         select distinct on (user_company_id) * from ${this.table}
         where ($1::text is null or user_company_id = $1) and ($2::text is null or user_company_id collate "C" > $2)
         order by user_company_id, change_id desc
       ) as latest
       where kind <> 'default' order by user_company_id collate "C" limit $3`,
      [companyId ?? null, after ?? null, limit ?? null],
    );
    return rows.map(toChange);
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
