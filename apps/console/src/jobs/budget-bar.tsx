// How much of its budget a company has used: what is spent, and what its running jobs may still cost.
import { Text } from '@mantine/core';
import './costs.css';
import type { components } from '../api/interactions.generated';

type Company = components['schemas']['CompanyBudgetDto'];

/** From this share on it needs attention. */
export const nearlyUsed = 0.8;

/** Undefined without a limit. A budget of nothing is used up. */
export function usedShare({ budget_usd: budget, spent_usd: spent, reserved_usd: reserved }: Company) {
  if (budget === null) return undefined;
  return budget === 0 ? 1 : (spent + reserved) / budget;
}

export function BudgetBar({ company }: { company: Company }) {
  const share = usedShare(company);
  if (share === undefined || company.budget_usd === null) return <>–</>;
  const width = (usd: number) => `${Math.min(1, company.budget_usd === 0 ? 1 : usd / company.budget_usd!) * 100}%`;
  return (
    <div className="budget" data-tone={share >= 1 ? 'bad' : share >= nearlyUsed ? 'warn' : undefined}>
      <Text component="span" size="sm">
        {share >= 1 ? 'all' : `${Math.floor(share * 100)}%`}
      </Text>
      <div className="bar" aria-hidden>
        <span style={{ width: width(company.spent_usd) }} />
        <span className="budget-reserved" style={{ width: width(company.reserved_usd) }} />
      </div>
    </div>
  );
}
