// Production speaks https only: TLS ends at a trusted proxy, which says so in X-Forwarded-Proto (TRUST_PROXY).
import { errorBody } from '@tradewind/service-kit';
import { ServiceError } from '@tradewind/shared-types';
import type { FastifyInstance } from 'fastify';
import type { AppConfig } from './app.config.js';

// Probes come from inside the cluster, past the proxy.
const probePaths = new Set(['/health', '/ready']);
const twoYearsSeconds = 63_072_000;

export function secureTransport(fastify: FastifyInstance, config: AppConfig): void {
  if (config.ENVIRONMENT !== 'production') return;
  fastify.addHook('onRequest', async (request, reply) => {
    if (probePaths.has(request.url.split('?', 1)[0]!)) return undefined;
    if (request.protocol === 'https') {
      void reply.header('strict-transport-security', `max-age=${twoYearsSeconds}; includeSubDomains`);
      return undefined;
    }
    const refusal = new ServiceError({
      code: 'transport.insecure',
      status: 403,
      message: 'Use https: credentials must not travel over plain http',
    });
    return reply.code(refusal.status).type('application/json; charset=utf-8').send(errorBody(refusal));
  });
}
