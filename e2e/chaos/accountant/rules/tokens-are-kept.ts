import { groupBy, toldOf } from '../evidence/group-by.js';
import type { Rule } from '../evidence/rule.types.js';

/** A session that was only used as it should be is alive at the end; one that was revoked or reused is not. */
export const tokensAreKept: Rule = {
  name: 'a session lives until it is revoked or reused',
  check: ({ told }) =>
    [...groupBy(toldOf(told, 'token'), ({ session }) => session)].flatMap(([session, entries]) => {
      const check = entries.find(({ use }) => use === 'check');
      const uses = entries.filter(({ use }) => use !== 'check');
      if (!check || uses.some(({ result }) => result === 'unknown')) return [];
      const isReused =
        new Set(uses.map(({ token }) => token)).size < uses.filter(({ use }) => use === 'exchange').length;
      const shouldLive = !isReused && uses.every(({ use, result }) => use === 'exchange' && result === 'ok');
      const lives = check.result === 'ok';
      if (lives === shouldLive) return [];
      return [`${session}: ${lives ? 'alive after a revocation or a reuse' : 'dead without a reason'}`];
    }),
};
