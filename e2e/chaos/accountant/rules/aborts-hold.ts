import { groupBy, toldOf } from '../evidence/group-by.js';
import type { Rule } from '../evidence/rule.types.js';

export const abortsHold: Rule = {
  name: 'an abort that was confirmed holds',
  check({ told, tracker }) {
    const rows = groupBy(tracker, ({ company, target }) => `${company} ${target}`);
    return toldOf(told, 'abort')
      .filter(({ result }) => result === 'ok')
      .map(({ company, target }) => `${company} ${target}`)
      .filter((name) => !rows.get(name)?.some(({ status }) => status === 'ABORTED'))
      .map((name) => `${name}: told ABORTED, the tracker says ${rows.get(name)?.[0]?.status ?? 'nothing'}`);
  },
};
