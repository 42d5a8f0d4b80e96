// In whose name a caller may start jobs: `trigger_user_id` names the user who wanted them.
import type { CallerIdentity } from '@tradewind/service-kit';
import { ServiceError } from '@tradewind/shared-types';

/**
 * Throws 403 when a user names another user. An ADMIN may, and a service token may: machines act for the users of their
 * own application, whose ids this platform need not know.
 */
export function assertTriggersAs(caller: CallerIdentity, triggerUserId: string | null): void {
  if (caller.kind !== 'user' || caller.role === 'ADMIN' || triggerUserId === null) return;
  if (triggerUserId === caller.userId) return;
  throw new ServiceError({
    code: 'caller.forbidden',
    status: 403,
    message: 'trigger_user_id must be the id of the user who calls, or be left out; only an ADMIN may name another',
  });
}
