import { expect, it } from '@jest/globals';
import type { CallerIdentity } from './caller-auth.js';
import { assertMaySpend } from './spend-rule.js';

it.each<[string, CallerIdentity, boolean]>([
  ['an admin', { kind: 'user', userId: 'u', role: 'ADMIN' }, true],
  ['a service token', { kind: 'service', name: 's' }, true],
  ['nobody, where nobody must say who he is', { kind: 'none' }, true],
  ['an analyst', { kind: 'user', userId: 'u', role: 'ANALYST' }, false],
  ['the scheduler', { kind: 'scheduler' }, false],
])('%s', (_name, caller, isAllowed) => {
  const spend = () => assertMaySpend(caller, 'force publishes a month again');
  if (isAllowed) expect(spend).not.toThrow();
  else expect(spend).toThrow('force publishes a month again and needs the role ADMIN or a service token');
});
