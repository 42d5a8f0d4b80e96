// Who may spend more than a regular month costs: an ADMIN, and a machine with a service token. An analyst and the
// scheduler may not. Where CALLER_AUTH is none everybody may.
import { ServiceError } from '@tradewind/shared-types';
import { isAdministrator } from './administration-rule.js';
import type { CallerIdentity } from './caller-auth.js';

/** @param what the field or value that spends, which begins the sentence of the refusal. Throws 403. */
export function assertMaySpend(caller: CallerIdentity, what: string): void {
  if (isAdministrator(caller)) return;
  throw new ServiceError({
    code: 'caller.forbidden',
    status: 403,
    message: `${what} and needs the role ADMIN or a service token`,
  });
}
