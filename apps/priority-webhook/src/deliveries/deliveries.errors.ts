import { ServiceError } from '@tradewind/shared-types';

/** The body names no profile. It is kept for inspection, and sending it again cannot help. */
export function unusableWebhook(message: string): ServiceError {
  return new ServiceError({ code: 'request.invalid', status: 400, message: [message] });
}
