import { ServiceError } from '@tradewind/shared-types';

/** 401 for a JWT that does not make API keys, or no more. */
export function invalidToken(cause?: unknown): ServiceError {
  return new ServiceError({
    code: 'caller.unauthenticated',
    status: 401,
    message: 'Invalid token: log in again with authenticateUser',
    cause,
  });
}
