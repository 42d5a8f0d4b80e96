import { groupBy, toldOf } from '../evidence/group-by.js';
import type { Rule } from '../evidence/rule.types.js';

export const tokensWorkOnce: Rule = {
  name: 'a code or a refresh token works once',
  check({ told, unusedTokens }) {
    const exchanges = toldOf(told, 'token').filter(({ use, result }) => use === 'exchange' && result === 'ok');
    const twice = [...groupBy(exchanges, ({ token }) => token)].filter(([, uses]) => uses.length > 1);
    return [
      ...twice.map(([, uses]) => `${uses[0]?.session}: one token was exchanged ${uses.length} times`),
      ...unusedTokens
        .filter(({ count }) => count > 1)
        .map(({ grant, count }) => `grant ${grant}: ${count} live tokens`),
    ];
  },
};
