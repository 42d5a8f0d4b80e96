import { groupBy, toldOf } from '../evidence/group-by.js';
import { startsOf } from '../evidence/ledger.js';
import type { Rule } from '../evidence/rule.types.js';

/**
 * Each scrape that ended is one row of the warehouse and one file, and each person of the month was scraped. Usernames
 * that differ in case alone are one person.
 */
export const profilesAreStoredOnce: Rule = {
  name: 'every profile is in warehouse and backup, once for each scrape',
  check({ told, people, ledger, profileCalls, objects }) {
    const scrapes = groupBy(startsOf(ledger, 'profile'), ({ target }) => target.toLowerCase());
    const rows = groupBy(profileCalls, ({ username }) => username.toLowerCase());
    const files = groupBy(objects, (name) => name.replace(/_\d{14}(-\d+)?\.json$/, '').toLowerCase());
    const isPublished = toldOf(told, 'month').some(({ result }) => result === 'ok');
    const names = new Set([
      ...(isPublished ? people.map((one) => one.toLowerCase()) : []),
      ...scrapes.keys(),
      ...rows.keys(),
      ...files.keys(),
    ]);
    return [...names].flatMap((name) => {
      const ended = (scrapes.get(name) ?? []).filter(({ endMs }) => endMs !== null).length;
      const stored = rows.get(name)?.length ?? 0;
      const backedUp = files.get(name)?.length ?? 0;
      if (ended > 0 && ended === stored && ended === backedUp) return [];
      return [`${name}: ${ended} scrapes, ${stored} rows in the warehouse, ${backedUp} files`];
    });
  },
};
