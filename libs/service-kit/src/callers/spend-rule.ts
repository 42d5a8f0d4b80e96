// Who may spend beyond the plain month: an ADMIN, and a machine with a service token. Where CALLER_AUTH is none nobody is
// known, and everybody may. An analyst may not, nor may the scheduler, which starts a month and nothing more.
import { ServiceError } from '@tradewind/shared-types';
import type { CallerIdentity } from './caller-auth.js';

/** @param what the field or value that spends, as the sentence of the refusal begins. Throws 403. */
export function assertMaySpend(caller: CallerIdentity, what: string): void {
  if (caller.kind === 'service' || caller.kind === 'none') return;
  if (caller.kind === 'user' && caller.role === 'ADMIN') return;
  throw new ServiceError({
    code: 'caller.forbidden',
    status: 403,
    message: `${what} and needs the role ADMIN or a service token`,
  });
}
