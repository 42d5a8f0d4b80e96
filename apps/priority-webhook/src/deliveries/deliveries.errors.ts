import { ServiceError } from '@tradewind/shared-types';

/** The body names no profile; it was kept for inspection, and the same body will never do. */
export function unusableWebhook(message: string): ServiceError {
  return new ServiceError({ code: 'request.invalid', status: 400, message: [message] });
}
