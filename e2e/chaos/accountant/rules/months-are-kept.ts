import { groupBy, toldOf } from '../evidence/group-by.js';
import type { Rule } from '../evidence/rule.types.js';

/** A month may have several runs; all but the first publish only what is missing. */
export const monthsAreKept: Rule = {
  name: 'every month that was begun is published once, to the end',
  check({ told, people, monthRuns }) {
    const begun = groupBy(toldOf(told, 'month'), ({ month }) => month);
    const runs = groupBy(monthRuns, ({ month }) => month);
    const everybody = new Set(people.map((name) => name.toLowerCase())).size;
    return [...new Set([...begun.keys(), ...runs.keys()])].flatMap((month) => {
      const own = runs.get(month) ?? [];
      if (!begun.has(month)) return [`${month}: published, and nobody asked for it`];
      if (own.length === 0) return begun.get(month)!.some(({ result }) => result === 'ok') ? [`${month}: lost`] : [];
      const open = own.filter(({ state }) => state !== 'completed').map(({ state }) => `${month}: still ${state}`);
      const published = own.reduce((sum, { profiles }) => sum + profiles, 0);
      return published === everybody ? open : [...open, `${month}: ${published} profiles published of ${everybody}`];
    });
  },
};
