// What all services share of HTTP: request ids, one log line and one measurement per request, and JSON bodies only. A
// table of routes distinguishes 404 from 405.
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { ServiceError } from '@tradewind/shared-types';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ServiceConfig } from '../config/config-class.js';
import { requestContext, type Logger } from '../logger.js';
import type { Metrics } from '../metrics.js';
import { nameServerSpan } from '../telemetry/trace-context.js';
import { allowOrigins } from './cross-origin.js';
import { errorBody, toServiceError } from './error-filter.js';
import { readBodies } from './request-bodies.js';
import { limitRequests } from './request-limit.js';
import { RouteTable } from './route-table.js';

// The ids that other systems use: UUIDs, ULIDs, trace ids. Anything else could forge log lines.
const saneRequestId = /^[A-Za-z0-9._:-]{1,128}$/;
/** How long headers and body of a request may take to arrive. A response may take longer. */
const requestTimeoutMs = 60_000;
const headersTimeoutMs = 20_000;
const quietPaths = new Set(['/health', '/ready']);

export function createFastifyAdapter(
  config: ServiceConfig,
  logger: Logger,
  metrics: Metrics,
  routes = new RouteTable(),
): FastifyAdapter {
  const adapter = new FastifyAdapter({
    bodyLimit: config.BODY_LIMIT_BYTES,
    trustProxy: trustProxy(config.TRUST_PROXY),
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 500 },
    requestIdHeader: false,
    // Faults of the URL, which Fastify finds before any hook or filter runs.
    frameworkErrors: (fault: Error, request: FastifyRequest, reply: FastifyReply) => {
      const error = toServiceError(fault);
      void reply.header('x-request-id', request.id).code(error.status).send(errorBody(error));
    },
    genReqId: (request: IncomingMessage) => {
      const given = request.headers['x-request-id'];
      return typeof given === 'string' && saneRequestId.test(given) ? given : randomUUID();
    },
    // A client that never finishes its headers or body must not hold a connection forever.
    requestTimeout: requestTimeoutMs,
    keepAliveTimeout: config.KEEP_ALIVE_TIMEOUT_MS,
    forceCloseConnections: 'idle',
  });
  const instance = adapter.getInstance();
  // Headers come before the body, so their time limit is shorter than that of the request.
  instance.server.headersTimeout = headersTimeoutMs;
  instance.addHook('onRoute', (route) => {
    routes.add([route.method].flat(), route.url);
  });
  instance.addHook('onRequest', (request, reply, done) => {
    void reply.header('x-request-id', request.id);
    // Browsers must not guess another content type.
    void reply.header('x-content-type-options', 'nosniff');
    if (!request.is404 && request.routeOptions.url) nameServerSpan(request.method, request.routeOptions.url);
    requestContext.run({ requestId: request.id }, done);
  });
  allowOrigins(instance, config.CORS_ORIGINS, routes);
  limitRequests(instance, config.ROUTE_REQUESTS_MAX, logger, metrics);
  // After all middleware and before a body is read: an unknown path is 404, whatever its body is.
  instance.addHook('preParsing', (request, reply, _payload, done) => {
    if (!request.is404) return done();
    const allowed = routes.methodsOf(request.url);
    if (allowed.length > 0 && !allowed.includes('OPTIONS')) allowed.push('OPTIONS');
    if (allowed.length > 0 && request.method === 'OPTIONS') {
      void reply.code(204).header('allow', allowed.join(', ')).send();
      return;
    }
    done(allowed.length > 0 ? methodNotAllowed(request, allowed) : notFound(request));
  });
  // Services read JSON. A service that needs forms or plain text adds a parser in its `configure`.
  readBodies(instance, config.BODY_LIMIT_BYTES);
  instance.addHook('onResponse', (request, reply, done) => {
    // Probes come every few seconds, and refusals by the thousand: neither is worth a log line.
    const isQuiet = quietPaths.has(request.url.split('?', 1)[0]!) || request.isRefusedAsTooMany;
    measure(request, reply, { logger, metrics, level: isQuiet ? 'debug' : 'info' });
    done();
  });
  return adapter;
}

/** Registers the probes as plain routes, so that no guard or limit of an app applies to them. */
export function addProbes(
  instance: FastifyInstance,
  probes: { health: () => unknown; ready: () => Promise<{ status: 'ready' | 'not_ready' }> },
): void {
  instance.get('/health', async (_request, reply) => reply.header('cache-control', 'no-store').send(probes.health()));
  instance.get('/ready', async (_request, reply) => {
    const readiness = await probes.ready();
    return reply
      .code(readiness.status === 'ready' ? 200 : 503)
      .header('cache-control', 'no-store')
      .send(readiness);
  });
}

function measure(
  request: FastifyRequest,
  reply: FastifyReply,
  { logger, metrics, level }: { logger: Logger; metrics: Metrics; level: 'debug' | 'info' },
): void {
  const path = request.url.split('?', 1)[0] ?? '';
  const route = request.is404 ? 'none' : (request.routeOptions.url ?? 'none');
  const status = reply.raw.statusCode;
  metrics.requestSeconds.observe({ method: request.method, route, status }, reply.elapsedTime / 1000);
  if (!logger.isLevelEnabled(level)) return;
  // Only the path is logged, since the query may hold a code or a token.
  logger[level](
    { request_id: request.id, method: request.method, path, status, duration_ms: Math.round(reply.elapsedTime) },
    'request',
  );
}

function notFound(request: FastifyRequest): ServiceError {
  const path = request.url.split('?', 1)[0];
  return new ServiceError({ code: 'request.not_found', status: 404, message: `Cannot ${request.method} ${path}` });
}

function methodNotAllowed(request: FastifyRequest, allowed: string[]): ServiceError {
  return new ServiceError({
    code: 'request.method_not_allowed',
    status: 405,
    message: `${request.method} is not allowed here; allowed: ${allowed.join(', ')}`,
    headers: { allow: allowed.join(', ') },
  });
}

function trustProxy(setting: string): boolean | string | ((address: string, hop: number) => boolean) {
  if (setting === 'true' || setting === 'false') return setting === 'true';
  if (!/^\d+$/.test(setting)) return setting;
  const trustedHops = Number(setting);
  return (_address, hop) => hop < trustedHops;
}
