// In production every service accepts https only. TLS ends at a proxy, which reports the client's protocol in
// X-Forwarded-Proto (TRUST_PROXY). Inside the cluster services call each other over plain http without a proxy, and
// send no such header.
import { ServiceError } from '@tradewind/shared-types';
import type { FastifyInstance } from 'fastify';
import type { ServiceConfig } from '../config/config-class.js';
import { errorBody } from './error-filter.js';

// Nodes of the cluster and load balancers send their probes over plain http.
const probePaths = new Set(['/health', '/ready']);
const twoYearsSeconds = 63_072_000;

/** @param isCalledInside whether a request that passed no proxy comes from inside the cluster */
export function secureTransport(
  fastify: FastifyInstance,
  config: ServiceConfig,
  { isCalledInside }: { isCalledInside: boolean },
): void {
  if (config.ENVIRONMENT !== 'production') return;
  fastify.addHook('onRequest', async (request, reply) => {
    if (probePaths.has(request.url.split('?', 1)[0]!)) return undefined;
    if (request.protocol === 'https') {
      // On the raw response, so that responses past Fastify have it too.
      reply.raw.setHeader('strict-transport-security', `max-age=${twoYearsSeconds}; includeSubDomains`);
      return undefined;
    }
    // The header of a proxy that is not trusted counts too: the request passed none of ours, or TRUST_PROXY is wrong.
    const isForwarded = request.headers['x-forwarded-proto'] !== undefined;
    if (isCalledInside && !isForwarded) return undefined;
    const refusal = new ServiceError({
      code: 'transport.insecure',
      status: 403,
      message: 'Use https: credentials must not travel over plain http',
    });
    return reply.code(refusal.status).type('application/json; charset=utf-8').send(errorBody(refusal));
  });
}
