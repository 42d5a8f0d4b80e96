// Who may publish a month again. Everything in it is bought a second time, so an analyst may not, nor may the scheduler,
// which starts a month and nothing more.
import type { CallerIdentity } from '@tradewind/service-kit';
import { ServiceError } from '@tradewind/shared-types';

/** @param caller bound to no company, see SchedulerOrCallerGuard. Throws 403. */
export function assertMayForce(caller: CallerIdentity): void {
  if (caller.kind === 'service' || caller.kind === 'none') return;
  if (caller.kind === 'user' && caller.role === 'ADMIN') return;
  throw new ServiceError({
    code: 'caller.forbidden',
    status: 403,
    message: 'force publishes a month again and needs the role ADMIN or a service token',
  });
}
