import { groupBy } from '../evidence/group-by.js';
import { startsOf } from '../evidence/ledger.js';
import type { Rule } from '../evidence/rule.types.js';

/** The load has one intention for each person: this month. A profile is bought again only after it failed. */
export const profilesAreBoughtOnce: Rule = {
  name: 'no profile is bought twice',
  check: ({ ledger }) =>
    [...groupBy(startsOf(ledger, 'profile'), ({ target }) => target.toLowerCase())].flatMap(([target, starts]) =>
      starts.slice(1).flatMap((start, index) => {
        const before = starts[index]!;
        if (before.endMs !== null && before.endMs <= start.atMs && before.outcome !== 'SUCCEEDED') return [];
        return [`${target}: started again while the scrape before ${before.outcome ?? 'was under way'}`];
      }),
    ),
};
