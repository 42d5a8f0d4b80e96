// How many requests a service works on at once. Without a limit every request beyond what a pod can do waits in memory,
// all answers become late together, and the backlog outlasts the overload. Each route has a limit of its own, so that
// requests that wait for another system do not keep out the others. A slow route gets fewer than the limit, so that no
// request waits long for those before it. The delay of the event loop does not count: a busy neighbour delays an idle
// service, and a slow database delays no event loop.
import { ServiceError } from '@tradewind/shared-types';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from '../logger.js';
import type { Metrics } from '../metrics.js';
import { errorBody } from './error-filter.js';
import { RequestsUnderWay } from './requests-under-way.js';

// Probes must be answered, since a service that is busy must not be restarted for it.
const unlimitedPaths = new Set(['/health', '/ready']);
/** The backlog of a full route is worked off in less. */
const retryAfterSeconds = 1;
/** Least time between two log lines of refusals. */
const logIntervalMs = 10_000;

declare module 'fastify' {
  /** State on the request: weak sets of requests would cost a tenth of a short request. */
  interface FastifyRequest {
    isRefusedAsTooMany: boolean;
    /** Its body came when the route was full. */
    isLate: boolean;
    isAnswered: boolean;
    /** Its client went before the answer. */
    isAbandoned: boolean;
  }
}

/**
 * Answers a request with 503 and Retry-After when `limit` others of its route are under way. So it does when it would
 * wait long for them. Sets `isRefusedAsTooMany` then. A request is under way from the end of its body to the end of its
 * answer and of its work. So slow senders take no place. Must be called before any hook that answers requests.
 */
export function limitRequests(instance: FastifyInstance, limit: number, logger: Logger, metrics: Metrics): void {
  const underWay = new Map<string, RequestsUnderWay<FastifyRequest>>();
  let loggedAt = -Infinity;

  for (const name of ['isRefusedAsTooMany', 'isLate', 'isAnswered', 'isAbandoned']) {
    instance.decorateRequest(name, false);
  }
  instance.addHook('onRequest', (request, reply, done) => {
    if (unlimitedPaths.has(routeOf(request))) return done();
    if (placesOf(request).isFull) return refuse(request, reply);
    onceReceived(request, () => begin(request, reply));
    done();
  });
  instance.addHook('preValidation', (request, reply, done) => {
    if (request.isLate) refuse(request, reply);
    else done();
  });
  // Called twice when another hook fails.
  instance.addHook('onSend', (request, _reply, _payload, done) => {
    request.isAnswered = true;
    if (request.isAbandoned) placesOf(request).end(request);
    done();
  });

  const placesOf = (request: FastifyRequest): RequestsUnderWay<FastifyRequest> => {
    const route = routeOf(request);
    let places = underWay.get(route);
    if (!places) underWay.set(route, (places = new RequestsUnderWay(limit)));
    return places;
  };
  const begin = (request: FastifyRequest, reply: FastifyReply) => {
    // Answered before its body was read.
    if (reply.raw.writableEnded || reply.raw.closed) return;
    const places = placesOf(request);
    if (places.isFull) request.isLate = true;
    places.begin(request);
    reply.raw.once('close', () => {
      // When the client has gone, the handler may still work. What answers past Fastify cannot be followed further.
      if (request.isAnswered || reply.sent) places.end(request);
      else request.isAbandoned = true;
    });
  };
  const refuse = (request: FastifyRequest, reply: FastifyReply) => {
    const route = routeOf(request);
    request.isRefusedAsTooMany = true;
    metrics.refusedRequests.inc({ route });
    if (performance.now() - loggedAt > logIntervalMs) {
      loggedAt = performance.now();
      const { count } = placesOf(request);
      logger.warn({ route, limit, under_way: count }, 'too many requests are under way; further ones are refused');
    }
    void reply
      .code(503)
      .header('retry-after', String(retryAfterSeconds))
      .type('application/json; charset=utf-8')
      .send(overloadedBody);
  };
}

/** The pattern of its path; all unknown paths are one route. */
function routeOf(request: FastifyRequest): string {
  return (request.is404 ? undefined : request.routeOptions.url) ?? 'none';
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
