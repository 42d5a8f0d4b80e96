// A revocation answers with an empty body (RFC 7009 2.2) and the content type of the endpoint's other answers. Some
// clients, such as simple-oauth2, accept no other type.
import type { Middleware } from './middleware.types.js';

export const revocationResponse: Middleware = async (ctx, next) => {
  await next();
  if (ctx.oidc?.route === 'revocation' && ctx.status === 200) ctx.type = 'json';
};
