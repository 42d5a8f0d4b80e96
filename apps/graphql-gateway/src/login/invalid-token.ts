import { ServiceError } from '@tradewind/shared-types';

/** 401 for a JWT that may not make API keys, or no longer. */
export function invalidToken(cause?: unknown): ServiceError {
  return new ServiceError({
    code: 'caller.unauthenticated',
    status: 401,
    message: 'Invalid token: log in again with authenticateUser',
    cause,
  });
}
