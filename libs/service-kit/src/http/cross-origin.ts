// Which pages of other origins may read answers in a browser: those of CORS_ORIGINS, and none by default. A page sends
// its token itself and never the cookies of a service, so credentials are not allowed. Routes with an OPTIONS of their
// own, such as those of OpenID Connect, answer preflights themselves. This grants no right: who may call is decided by
// the token.
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { RouteTable } from './route-table.js';

const allowedHeaders = 'Authorization, Content-Type, DPoP, Idempotency-Key';
const exposedHeaders = [
  'DPoP-Nonce',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'WWW-Authenticate',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'X-Request-Id',
].join(', ');
/** Two hours is the longest that Chromium keeps a preflight. */
const preflightAgeSeconds = 7200;

/** Must be called before any hook that answers requests: a page cannot read a refusal without these headers. */
export function allowOrigins(instance: FastifyInstance, origins: readonly string[], routes: RouteTable): void {
  if (origins.length === 0) return;
  instance.addHook('onRequest', (request, reply, done) => {
    void reply.header('vary', 'Origin');
    const { origin, 'access-control-request-method': wanted } = request.headers;
    if (origin === undefined || !origins.includes(origin)) return done();
    void reply.header('access-control-allow-origin', origin).header('access-control-expose-headers', exposedHeaders);
    const methods = routes.methodsOf(request.url);
    const isPreflight = request.method === 'OPTIONS' && wanted !== undefined && methods.length > 0;
    if (isPreflight && !methods.includes('OPTIONS')) answerPreflight(reply, methods);
    else done();
  });
}

function answerPreflight(reply: FastifyReply, methods: readonly string[]): void {
  void reply
    .code(204)
    .header('access-control-allow-methods', methods.join(', '))
    .header('access-control-allow-headers', allowedHeaders)
    .header('access-control-max-age', String(preflightAgeSeconds))
    .send();
}
