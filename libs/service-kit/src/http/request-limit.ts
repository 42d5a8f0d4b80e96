// How many requests a service works on at once. Without a limit every request beyond what a pod can do waits in memory,
// all answers become late together, and the backlog outlasts the overload. Each route has a limit of its own, so that
// requests that wait for another system do not keep out the others. The limit counts requests and not the delay of the
// event loop: a busy neighbour delays an idle service, and a slow database delays no event loop.
import { ServiceError } from '@tradewind/shared-types';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from '../logger.js';
import type { Metrics } from '../metrics.js';
import { errorBody } from './error-filter.js';

// Probes must be answered, since a service that is busy must not be restarted for it.
const unlimitedPaths = new Set(['/health', '/ready']);
/** The backlog of a full route is worked off in less. */
const retryAfterSeconds = 1;
/** Least time between two log lines of refusals. */
const logIntervalMs = 10_000;

/**
 * Answers a request with 503 and Retry-After when `limit` others of its route are under way. A request is under way
 * from the end of its body, so that slow senders take no place, to the end of its answer and of its work. Must be
 * called before any hook that answers requests. Answers which requests were refused.
 */
export function limitRequests(
  instance: FastifyInstance,
  limit: number,
  logger: Logger,
  metrics: Metrics,
): { has(request: FastifyRequest): boolean } {
  const refused = new WeakSet<FastifyRequest>();
  const underWay = new Map<string, number>();
  const places = new WeakMap<FastifyRequest, { isAnswered: boolean; isClosed: boolean; end: () => void }>();
  let loggedAt = -Infinity;

  instance.addHook('onRequest', (request, reply, done) => {
    const route = (request.is404 ? undefined : request.routeOptions.url) ?? 'none';
    if (unlimitedPaths.has(route)) return done();
    if ((underWay.get(route) ?? 0) < limit) {
      onceReceived(request, () => begin(route, request, reply));
      return done();
    }
    refused.add(request);
    metrics.refusedRequests.inc({ route });
    if (performance.now() - loggedAt > logIntervalMs) {
      loggedAt = performance.now();
      logger.warn({ route, limit }, 'too many requests are under way; further ones are refused');
    }
    void reply
      .code(503)
      .header('retry-after', String(retryAfterSeconds))
      .type('application/json; charset=utf-8')
      .send(overloadedBody);
  });
  instance.addHook('onSend', (request, _reply, _payload, done) => {
    const place = places.get(request);
    if (place) {
      place.isAnswered = true;
      if (place.isClosed) place.end();
    }
    done();
  });

  const begin = (route: string, request: FastifyRequest, reply: FastifyReply) => {
    // Answered before its body was read.
    if (reply.raw.writableEnded || reply.raw.closed) return;
    underWay.set(route, (underWay.get(route) ?? 0) + 1);
    const end = () => underWay.set(route, underWay.get(route)! - 1);
    const place = { isAnswered: false, isClosed: false, end };
    places.set(request, place);
    reply.raw.once('close', () => {
      place.isClosed = true;
      // When the client has gone, the handler may still work. What answers past Fastify cannot be followed further.
      if (place.isAnswered || reply.sent) end();
    });
  };
  return refused;
}

function onceReceived({ raw }: FastifyRequest, then: () => void): void {
  const hasBody = raw.headers['transfer-encoding'] !== undefined || Number(raw.headers['content-length'] ?? 0) > 0;
  if (hasBody) raw.once('end', then);
  else then();
}

const overloadedBody = JSON.stringify(
  errorBody(
    new ServiceError({
      code: 'service.overloaded',
      status: 503,
      message: 'The service has too many requests at the moment; try again shortly',
    }),
  ),
);
