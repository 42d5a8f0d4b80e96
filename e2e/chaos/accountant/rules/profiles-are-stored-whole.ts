import type { ProfileContent } from '../evidence/evidence.types.js';
import { groupBy } from '../evidence/group-by.js';
import { startsOf } from '../evidence/ledger.js';
import type { Rule } from '../evidence/rule.types.js';

const sumsOf = (profiles: readonly { content: ProfileContent }[] = []) =>
  profiles
    .map(({ content }) => content.sum)
    .sort()
    .join();

/** A file that was cut off in the middle is no JSON, so its content has no person. */
export const profilesAreStoredWhole: Rule = {
  name: 'warehouse and backup have the profile that the provider sent, of the right person, with the right outcome',
  check({ ledger, profileCalls, objects }) {
    const findings = [...profileCalls, ...objects]
      .filter(({ username, content }) => content.person !== username.toLowerCase())
      .map(({ username, content }) => `${username}: the content is of ${content.person ?? 'nobody'}`);
    const files = groupBy(objects, ({ username }) => username.toLowerCase());
    const scrapes = groupBy(startsOf(ledger, 'profile'), ({ target }) => target.toLowerCase());
    for (const [name, rows] of groupBy(profileCalls, ({ username }) => username.toLowerCase())) {
      if (sumsOf(rows) !== sumsOf(files.get(name))) findings.push(`${name}: the backup is not what the warehouse has`);
      const sent = (scrapes.get(name) ?? []).flatMap(({ contentSum: sum }) => (sum === undefined ? [] : [sum]));
      if (sumsOf(rows) !== sent.sort().join()) findings.push(`${name}: the warehouse has not what the provider sent`);
      const failed = (scrapes.get(name) ?? []).filter(({ outcome }) => outcome === 'FAILED').length;
      const storedAsFailed = rows.filter(({ status }) => status === 'FAILED').length;
      if (failed !== storedAsFailed) findings.push(`${name}: ${failed} scrapes failed, ${storedAsFailed} rows say so`);
    }
    return findings;
  },
};
