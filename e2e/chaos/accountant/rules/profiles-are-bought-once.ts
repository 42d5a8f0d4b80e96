import { groupBy, toldOf } from '../evidence/group-by.js';
import { startsOf } from '../evidence/ledger.js';
import type { Rule } from '../evidence/rule.types.js';

/**
 * The load begins a month only when the one before is complete. So a profile is bought again only after it failed, or
 * when a month has begun since.
 */
export const profilesAreBoughtOnce: Rule = {
  name: 'no profile is bought twice',
  check({ told, ledger }) {
    const months = [...groupBy(toldOf(told, 'month'), ({ month }) => month).values()].map((requests) =>
      Math.min(...requests.map(({ sentMs }) => sentMs)),
    );
    return [...groupBy(startsOf(ledger, 'profile'), ({ target }) => target.toLowerCase())].flatMap(([target, starts]) =>
      starts.slice(1).flatMap((start, index) => {
        const before = starts[index]!;
        if (before.endMs !== null && before.endMs <= start.atMs) {
          const endMs = before.endMs;
          if (before.outcome !== 'SUCCEEDED' || months.some((sentMs) => sentMs >= endMs && sentMs <= start.atMs))
            return [];
        }
        return [`${target}: started again while the scrape before ${before.outcome ?? 'was under way'}`];
      }),
    );
  },
};
