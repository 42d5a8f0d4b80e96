import { expect, it } from '@jest/globals';
import type { CallerIdentity } from './caller-auth.js';
import { assertActsFor, assertBoundToNoCompany, callerId, companyScopeOf } from './company-rule.js';

const user = (role: 'ANALYST' | 'ADMIN', companyId?: string): CallerIdentity => ({
  kind: 'user',
  userId: 'u',
  role,
  ...(companyId === undefined ? {} : { companyId }),
});
const outcome = (act: () => unknown): unknown => {
  try {
    return act() ?? 'all';
  } catch (error) {
    return (error as { status: number }).status;
  }
};

// Caller, the companies it sees, whether it acts for company a and for company b, whether for what is of no company.
it.each<[string, CallerIdentity, unknown, unknown, unknown, unknown]>([
  ['an analyst of a', user('ANALYST', 'a'), 'a', 'all', 403, 403],
  ['an admin of a', user('ADMIN', 'a'), 'a', 'all', 403, 403],
  ['an analyst of no company', user('ANALYST'), 403, 403, 403, 'all'],
  ['an admin of no company', user('ADMIN'), 'all', 'all', 'all', 'all'],
  ['a service token of a', { kind: 'service', name: 's', companyId: 'a' }, 'a', 'all', 403, 403],
  ['a service token for all', { kind: 'service', name: 's' }, 'all', 'all', 'all', 'all'],
  ['nobody, where nobody must say who he is', { kind: 'none' }, 'all', 'all', 'all', 'all'],
])('%s', (_name, caller, sees, a, b, ofAll) => {
  expect([
    outcome(() => companyScopeOf(caller)),
    outcome(() => assertActsFor(caller, 'a')),
    outcome(() => assertActsFor(caller, 'b')),
    outcome(() => assertBoundToNoCompany(caller)),
  ]).toEqual([sees, a, b, ofAll]);
});

it('names callers', () => {
  expect([
    callerId(user('ADMIN')),
    callerId({ kind: 'service', name: 's' }),
    callerId({ kind: 'scheduler' }),
    callerId({ kind: 'none' }),
  ]).toEqual(['u', 's', 'scheduler', null]);
});
