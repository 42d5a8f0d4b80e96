import { toldOf } from '../evidence/group-by.js';
import type { Rule } from '../evidence/rule.types.js';

/** Identity stores an act and its row in one transaction. So an act that was answered has its row, and no other has. */
export const identityAuditAgrees: Rule = {
  name: 'the audit log of identity has every act once',
  check({ told, identityEvents }) {
    const clients = (wanted: 'register' | 'delete') => toldOf(told, 'client').filter(({ use }) => use === wanted);
    const acts: Record<string, readonly { result: string }[]> = {
      'token.issued': toldOf(told, 'token').filter(({ use }) => use === 'exchange'),
      'client.registered': clients('register'),
      'client.deleted': clients('delete'),
      'user.disabled': toldOf(told, 'ended access').filter(
        ({ kind, use }) => kind === 'key of a disabled user' && use === 'end',
      ),
      'login.failed': toldOf(told, 'wrong password').map(({ result }) => ({
        result: result === 'wrong' ? 'ok' : result,
      })),
    };
    return Object.entries(acts).flatMap(([event, entries]) => {
      const done = entries.filter(({ result }) => result === 'ok').length;
      const unknown = entries.filter(({ result }) => result === 'unknown').length;
      const count = identityEvents.find((one) => one.event === event)?.count ?? 0;
      if (count >= done && count <= done + unknown) return [];
      return [`${event}: ${count} rows, ${done} answered and ${unknown} without an answer`];
    });
  },
};
