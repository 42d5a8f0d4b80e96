// Registers the provider's endpoints with Fastify: unknown paths are 404, wrong methods 405 with Allow, and metrics
// name the route.
import type { IncomingHttpHeaders } from 'node:http';
import { pageHeaders } from '@tradewind/service-kit';
import type { FastifyInstance } from 'fastify';
import type { AppConfig } from '../app.config.js';
import type { CurrentProvider } from './current-provider.js';
import { routes } from './policy/routes.js';
import { inUnitOfWork, UnitOfWork } from '../unit-of-work/unit-of-work.js';

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE' | 'OPTIONS';

function providerPaths(config: AppConfig): [string, Method[]][] {
  const paths: [string, Method[]][] = [
    ['/.well-known/openid-configuration', ['GET', 'OPTIONS']],
    ['/.well-known/oauth-authorization-server', ['GET', 'OPTIONS']],
    [routes.jwks, ['GET', 'OPTIONS']],
    [routes.authorization, ['GET', 'POST']],
    [`${routes.authorization}/:uid`, ['GET']],
    [routes.token, ['POST', 'OPTIONS']],
    [routes.userinfo, ['GET', 'POST', 'OPTIONS']],
    [routes.introspection, ['POST', 'OPTIONS']],
    [routes.revocation, ['POST', 'OPTIONS']],
    [routes.end_session, ['GET', 'POST']],
    // Also ends the session of another account when a user logs in with a second one.
    [`${routes.end_session}/confirm`, ['POST']],
    [`${routes.end_session}/success`, ['GET']],
  ];
  if (config.PAR !== 'off') paths.push([routes.pushed_authorization_request, ['POST', 'OPTIONS']]);
  if (config.OAUTH_DYNAMIC_REGISTRATION) {
    paths.push([routes.registration, ['POST', 'OPTIONS']]);
    paths.push([`${routes.registration}/:clientId`, ['GET', 'PUT', 'DELETE', 'OPTIONS']]);
  }
  return paths;
}

/** The provider answers those of browsers only, and others with 404. */
function isPreflight(headers: IncomingHttpHeaders): boolean {
  return headers.origin !== undefined && headers['access-control-request-method'] !== undefined;
}

export function registerProviderRoutes(
  instance: FastifyInstance,
  config: AppConfig,
  current: () => CurrentProvider,
): void {
  const { host, protocol } = new URL(config.OAUTH_ISSUER);
  void instance.register((scope, _options, done) => {
    for (const [url, method] of providerPaths(config)) {
      // HEAD runs what GET runs and discards the body. A registration would lose its new access token and a finished
      // login its code, so these answer 405.
      const exposeHeadRoute = !url.includes(':');
      const allowed = exposeHeadRoute && method.includes('GET') ? [...method, 'HEAD'] : method;
      scope.route({
        ...{ url, method, exposeHeadRoute },
        // In the first hook: the provider does what Fastify would do after it (content types, parsing, validation).
        onRequest: (request, reply) => {
          const { raw } = request;
          if (request.method === 'OPTIONS' && !isPreflight(raw.headers)) {
            void reply.code(204).header('allow', allowed.toSorted().join(', ')).send();
            return;
          }
          // The provider derives its addresses, and whether cookies are Secure, from these three.
          raw.headers.host = host;
          raw.headers['x-forwarded-host'] = host;
          raw.headers['x-forwarded-proto'] = protocol.slice(0, -1);
          // The raw response has none of the headers that were set so far.
          reply.raw.setHeader('x-request-id', request.id);
          for (const [name, value] of Object.entries(pageHeaders)) reply.raw.setHeader(name, value);
          reply.hijack();
          // The provider answers its own failures. After any other failure there is no answer to send.
          const unit = new UnitOfWork(request.ip, raw.headers['user-agent']);
          inUnitOfWork(unit, () => current().callback(raw, reply.raw)).catch(() => raw.destroy());
        },
        handler: () => undefined,
      });
    }
    done();
  });
}
