// RFC 9728: a 401 names the document that says where to get a token.
import type { Middleware, MiddlewareNeeds } from './middleware.types.js';

export function nameResourceMetadata({ config }: MiddlewareNeeds): Middleware {
  const parameter = `resource_metadata="${config.OAUTH_ISSUER}/.well-known/oauth-protected-resource"`;
  return async (ctx, next) => {
    await next();
    const challenge = ctx.response.get('WWW-Authenticate');
    if (ctx.status === 401 && challenge) ctx.set('WWW-Authenticate', `${challenge}, ${parameter}`);
  };
}
