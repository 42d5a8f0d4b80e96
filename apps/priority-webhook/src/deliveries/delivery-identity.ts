// When two webhooks are one and the same delivery. A repeat changes nothing: one row, one object.
import { hash } from 'node:crypto';
import type { Month } from '@tradewind/shared-types';

export interface IdentifiedDelivery {
  networkUsername: string;
  month: Month;
  requestStatus: 'SUCCESS' | 'FAILED';
  /** Header x-correlation-id; names the scrape that priority-api asked for. */
  correlationId: string | undefined;
  body: unknown;
}

/**
 * With a correlation id: that scrape, profile and status, whatever else the body says. So a success that follows a
 * reported failure is kept beside it. Without one: profile, month and content, since the same content in another month
 * is a new scrape.
 */
export function deliveryIdentity(delivery: IdentifiedDelivery): string {
  const { networkUsername, month, requestStatus, correlationId, body } = delivery;
  const parts = correlationId
    ? ['scrape', correlationId, networkUsername, requestStatus]
    : ['content', month, networkUsername, canonicalJson(body)];
  return hash('sha256', JSON.stringify(parts));
}

/**
 * Equal for equal values, whatever the order of their keys. Written by hand, because a replacer of JSON.stringify takes
 * three times as long.
 */
function canonicalJson(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  const fields = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${fields.map(([key, entry]) => `${JSON.stringify(key)}:${canonicalJson(entry)}`).join(',')}}`;
}
