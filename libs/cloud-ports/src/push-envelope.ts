// The push request body, byte for byte as Pub/Sub builds it, so that one handler serves both queues.
import type { PushEnvelope } from '@tradewind/shared-types';

export interface DeliveredMessage {
  id: string;
  data: string;
  attributes: Record<string, string>;
  publishedAt: Date;
}

/**
 * The JSON text of a push. Id and time have both spellings; an empty body is `"data":""`.
 * @param subscription full name, `projects/<project>/subscriptions/<name>`
 * @param deliveryAttempt from 1; Pub/Sub sends it only when the subscription has a dead-letter policy
 */
export function pushEnvelope(message: DeliveredMessage, subscription: string, deliveryAttempt?: number): string {
  const publishTime = message.publishedAt.toISOString();
  const envelope: PushEnvelope = {
    ...(deliveryAttempt === undefined ? {} : { deliveryAttempt }),
    subscription,
    message: {
      publishTime,
      data: Buffer.from(message.data, 'utf8').toString('base64'),
      publish_time: publishTime,
      messageId: message.id,
      attributes: message.attributes,
      message_id: message.id,
    },
  };
  return JSON.stringify(envelope);
}
