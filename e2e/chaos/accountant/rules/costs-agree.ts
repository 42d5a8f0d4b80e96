import { groupBy } from '../evidence/group-by.js';
import { startsOf } from '../evidence/ledger.js';
import type { Rule } from '../evidence/rule.types.js';

const toMicroUsd = (usd: number) => Math.round(usd * 1_000_000);

/** What companies are said to have spent is what the provider asks for their runs, and no budget is exceeded. */
export const costsAgree: Rule = {
  name: 'the costs of each company are those of its runs, within its budget',
  check({ tracker, ledger, companyCosts, limits }) {
    const costs = new Map(startsOf(ledger, 'run').map(({ id, costUsd }) => [id, toMicroUsd(costUsd ?? 0)]));
    const jobs = groupBy(tracker, ({ company }) => company);
    const stored = new Map(companyCosts.map(({ company, microUsd }) => [company, microUsd]));
    return [...new Set([...jobs.keys(), ...stored.keys()])].flatMap((company) => {
      const asked = (jobs.get(company) ?? []).reduce((sum, { runId }) => sum + (costs.get(runId ?? '') ?? 0), 0);
      const spent = stored.get(company) ?? 0;
      const budget = toMicroUsd(limits.budgetUsd);
      return [
        ...(spent === asked ? [] : [`${company}: ${spent} micro-dollars stored, its runs cost ${asked}`]),
        ...(company === limits.companyWithBudget && asked > budget
          ? [`${company}: its runs cost ${asked} micro-dollars, ${budget} are allowed`]
          : []),
      ];
    });
  },
};
