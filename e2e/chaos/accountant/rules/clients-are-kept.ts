import { groupBy, toldOf } from '../evidence/group-by.js';
import type { Rule } from '../evidence/rule.types.js';

export const clientsAreKept: Rule = {
  name: 'a registered client stays until it is deleted',
  check({ told, clients }) {
    const stored = groupBy(clients, ({ name }) => name);
    return [...groupBy(toldOf(told, 'client'), ({ name }) => name)].flatMap(([name, entries]) => {
      const registered = entries.find(({ use }) => use === 'register');
      const deleted = entries.find(({ use }) => use === 'delete');
      const count = stored.get(name)?.length ?? 0;
      if (count > 1) return [`${name}: registered once, stored ${count} times`];
      if (registered?.result === 'refused' && count > 0) return [`${name}: refused and stored`];
      if (deleted?.result === 'ok' && count > 0) return [`${name}: deleted and still stored`];
      if (registered?.result === 'ok' && !deleted && count === 0) return [`${name}: registered and not stored`];
      return [];
    });
  },
};
