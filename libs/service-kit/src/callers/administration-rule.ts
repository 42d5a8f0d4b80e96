// Who may administer: a user with the role ADMIN, and a machine with a service token. Where CALLER_AUTH is none
// everybody may.
import { ServiceError } from '@tradewind/shared-types';
import type { CallerIdentity } from './caller-auth.js';

export function isAdministrator(caller: CallerIdentity): boolean {
  return caller.kind === 'service' || caller.kind === 'none' || (caller.kind === 'user' && caller.role === 'ADMIN');
}

/** Throws 403. */
export function assertAdministers(caller: CallerIdentity): void {
  if (!isAdministrator(caller)) throw forbidden('This needs the role ADMIN or a service token');
}

/** The user who calls; throws 403 for machines, which have nothing of their own. */
export function userOf(caller: CallerIdentity): CallerIdentity & { kind: 'user' } {
  if (caller.kind !== 'user') throw forbidden('This is for users; a machine has nothing of its own here');
  return caller;
}

function forbidden(message: string): ServiceError {
  return new ServiceError({ code: 'caller.forbidden', status: 403, message });
}
