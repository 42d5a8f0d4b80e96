// The header Idempotency-Key: a text that the caller makes up for one request, bare or in quotes. It is long enough to
// encrypt with, such as a UUID.
import { ServiceError } from '@tradewind/shared-types';

const text = /^"?([\x21\x23-\x5b\x5d-\x7e]{16,200})"?$/;

/** Undefined without the header; throws 400 for one that is not usable. */
export function idempotencyKeyOf(header: unknown): string | undefined {
  if (header === undefined) return undefined;
  const [, key] = (typeof header === 'string' && text.exec(header)) || [];
  if (key !== undefined) return key;
  throw new ServiceError({
    code: 'request.invalid',
    status: 400,
    message: ['Idempotency-Key must have 16 to 200 visible characters, such as a random UUID'],
  });
}
