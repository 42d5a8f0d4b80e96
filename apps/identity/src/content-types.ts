// The pages accept only forms and the direct login only JSON: a form of another site, which a browser posts without
// asking, logs nobody in. The provider's endpoints check their own bodies.
import { ServiceError } from '@tradewind/shared-types';
import type { FastifyRequest } from 'fastify';

const readBy: [RegExp, string][] = [
  [/^\/(?:login|account)\//, 'application/x-www-form-urlencoded'],
  [/^\/(?:auth|admin)\//, 'application/json'],
];

export async function assertContentType({ routeOptions, headers }: FastifyRequest): Promise<void> {
  const expected = readBy.find(([paths]) => paths.test(routeOptions.url ?? ''))?.[1];
  const sent = headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase();
  if (expected === undefined || sent === undefined || sent === expected) return Promise.resolve();
  throw new ServiceError({
    code: 'request.unsupported_media_type',
    status: 415,
    message: 'The content type is not one that this address reads',
  });
}
