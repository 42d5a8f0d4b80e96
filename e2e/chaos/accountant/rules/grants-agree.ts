import { groupBy, toldOf } from '../evidence/group-by.js';
import type { Rule } from '../evidence/rule.types.js';

/** A sign-in makes one grant. A session is certainly over when its last token is, and no answer about it was lost. */
export const grantsAgree: Rule = {
  name: 'each live session has one grant, and a disabled user has none',
  check({ told, unusedTokens }) {
    const sessions = [...groupBy(toldOf(told, 'token'), ({ session }) => session).values()].map((entries) => ({
      check: entries.find(({ use }) => use === 'check')?.result,
      isCertain: entries.every(({ result }) => result !== 'unknown'),
    }));
    const alive = sessions.filter(({ check }) => check === 'ok').length;
    const over = sessions.filter(({ check, isCertain }) => check === 'refused' && isCertain).length;
    const live = new Set(unusedTokens.map(({ grant }) => grant)).size;
    const disabled = new Set(
      toldOf(told, 'ended access')
        .filter(({ kind, use, result }) => kind === 'key of a disabled user' && use === 'end' && result === 'ok')
        .map(({ subject }) => subject),
    );
    return [
      ...(live < alive ? [`${live} grants have a live token, and ${alive} sessions are alive`] : []),
      ...(live > sessions.length - over
        ? [`${live} live grants, but ${over} of ${sessions.length} sessions are over`]
        : []),
      ...unusedTokens
        .filter(({ user }) => disabled.has(user))
        .map(({ user }) => `${user}: disabled, with a live token`),
    ];
  },
};
