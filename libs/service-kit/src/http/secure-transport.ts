// Production speaks https only, at every service. TLS ends at a proxy, which says in X-Forwarded-Proto how the client came
// (TRUST_PROXY). Services call one another inside the cluster over plain http, past the proxy, and send no such header.
import { ServiceError } from '@tradewind/shared-types';
import type { FastifyInstance } from 'fastify';
import type { ServiceConfig } from '../config/config-class.js';
import { errorBody } from './error-filter.js';

// Probes come from the cluster's nodes and from load balancers, which ask over plain http.
const probePaths = new Set(['/health', '/ready']);
const twoYearsSeconds = 63_072_000;

/** @param isCalledInside whether a request that came past every proxy is one of the cluster's own */
export function secureTransport(
  fastify: FastifyInstance,
  config: ServiceConfig,
  { isCalledInside }: { isCalledInside: boolean },
): void {
  if (config.ENVIRONMENT !== 'production') return;
  fastify.addHook('onRequest', async (request, reply) => {
    if (probePaths.has(request.url.split('?', 1)[0]!)) return undefined;
    if (request.protocol === 'https') {
      // On the raw answer, so that the ones which are not Fastify's carry it as well.
      reply.raw.setHeader('strict-transport-security', `max-age=${twoYearsSeconds}; includeSubDomains`);
      return undefined;
    }
    // A header of a proxy that is not trusted counts too: whoever sends it came past no proxy of ours, or TRUST_PROXY is wrong.
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
