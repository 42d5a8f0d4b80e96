import type { Evidence } from '../evidence/evidence.types.js';
import { groupBy, toldOf } from '../evidence/group-by.js';
import type { Rule } from '../evidence/rule.types.js';

/** Identity stores an act and its row in one transaction. So an act that was answered has its row, and no other has. */
export const identityAuditAgrees: Rule = {
  name: 'the audit log of identity has every act once',
  check({ told, identityEvents }) {
    const clients = (wanted: 'register' | 'delete') => toldOf(told, 'client').filter(({ use }) => use === wanted);
    const changes = (wanted: string) => toldOf(told, 'account change').filter((one) => one.change === wanted);
    const acts: Record<string, readonly { result: string }[]> = {
      'token.issued': toldOf(told, 'token').filter(({ use }) => use === 'exchange'),
      'client.registered': clients('register'),
      'client.deleted': clients('delete'),
      'user.disabled': toldOf(told, 'ended access').filter(
        ({ kind, use }) => kind === 'key of a disabled user' && use === 'end',
      ),
      'login.succeeded': toldOf(told, 'login'),
      'consent.given': toldOf(told, 'consent'),
      'user.password_set': changes('password'),
      'session.ended': changes('session'),
      'application.revoked': changes('application'),
      'login.failed': toldOf(told, 'wrong password').map(({ result }) => ({
        result: result === 'wrong' ? 'ok' : result,
      })),
    };
    return [
      ...revocations(told, identityEvents),
      ...Object.entries(acts).flatMap(([event, entries]) => {
        const done = entries.filter(({ result }) => result === 'ok').length;
        const unknown = entries.filter(({ result }) => result === 'unknown').length;
        const count = identityEvents.find((one) => one.event === event)?.count ?? 0;
        if (count >= done && count <= done + unknown) return [];
        return [`${event}: ${count} rows, ${done} answered and ${unknown} without an answer`];
      }),
    ];
  },
};

/** A grant that a revocation or a second use of a token has ended has a row; no other request of a client ends one. */
function revocations(told: Evidence['told'], events: Evidence['identityEvents']): string[] {
  const uses = toldOf(told, 'token').filter(({ use }) => use !== 'check');
  const least = [...groupBy(uses, ({ session }) => session).values()].filter((own) => {
    if (own.some(({ result }) => result === 'unknown')) return false;
    return own.some(({ use, result }) => (use === 'revoke' ? result === 'ok' : result === 'refused'));
  }).length;
  const most = uses.filter(({ use, result }) => use === 'revoke' || result !== 'ok').length;
  const count = events.find(({ event }) => event === 'grant.revoked')?.count ?? 0;
  if (count >= least && count <= most) return [];
  return [`grant.revoked: ${count} rows, ${least} sessions were certainly ended, by ${most} requests at most`];
}
