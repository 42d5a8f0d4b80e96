import { groupBy, toldOf } from '../evidence/group-by.js';
import { startsOf } from '../evidence/ledger.js';
import type { Rule } from '../evidence/rule.types.js';

/**
 * Each scrape that ended is one row of the warehouse and one file, and each person was scraped for each month.
 * Usernames that differ in case alone are one person.
 */
export const profilesAreStoredOnce: Rule = {
  name: 'every profile is in warehouse and backup, once for each scrape',
  check({ told, people, ledger, profileCalls, objects }) {
    const scrapes = groupBy(startsOf(ledger, 'profile'), ({ target }) => target.toLowerCase());
    const rows = groupBy(profileCalls, ({ username }) => username.toLowerCase());
    const files = groupBy(objects, ({ username }) => username.toLowerCase());
    const months = new Set(
      toldOf(told, 'month')
        .filter(({ result }) => result === 'ok')
        .map(({ month }) => month),
    ).size;
    const names = new Set([
      ...(months > 0 ? people.map((one) => one.toLowerCase()) : []),
      ...scrapes.keys(),
      ...rows.keys(),
      ...files.keys(),
    ]);
    return [...names].flatMap((name) => {
      const ended = (scrapes.get(name) ?? []).filter(({ endMs }) => endMs !== null).length;
      const stored = rows.get(name)?.length ?? 0;
      const backedUp = files.get(name)?.length ?? 0;
      if (ended >= Math.max(months, 1) && ended === stored && ended === backedUp) return [];
      return [`${name}: ${ended} scrapes for ${months} months, ${stored} rows in the warehouse, ${backedUp} files`];
    });
  },
};
