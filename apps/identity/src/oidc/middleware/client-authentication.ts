// A request that authenticates no client is `invalid_client` and 401 (RFC 6749 5.2); the provider calls it malformed.
// A token request without even a `grant_type` is malformed here, too.
import { isToken } from './conditions.js';
import type { Middleware, MiddlewareNeeds } from './middleware.types.js';

export function reportMissingClientAuthentication({ config }: MiddlewareNeeds): Middleware {
  return async (ctx, next) => {
    await next();
    const { error_description: description } = (ctx.body ?? {}) as { error_description?: unknown };
    if (ctx.status !== 400 || description !== 'no client authentication mechanism provided') return;
    if (isToken(ctx) && ctx.oidc.body?.['grant_type'] === undefined) return;
    ctx.status = 401;
    ctx.set('WWW-Authenticate', `Basic realm="${config.OAUTH_ISSUER}"`);
    ctx.body = { error: 'invalid_client', error_description: description };
  };
}
