// The provider rotates the registration access token on PUT, and DELETE ends it. This rotates it on GET as well.
import { errors } from 'oidc-provider';
import type { Middleware, MiddlewareNeeds } from './middleware.types.js';

export function rotateRegistrationToken({ provider }: MiddlewareNeeds): Middleware {
  return async (ctx, next) => {
    await next();
    if (ctx.oidc?.route !== 'client' || ctx.status !== 200) return;
    const { client, entities } = ctx.oidc;
    if (!client || !entities.RegistrationAccessToken) throw new errors.InvalidToken();
    await entities.RegistrationAccessToken.destroy();
    const token = new provider.RegistrationAccessToken();
    token.client = client;
    (ctx.body as Record<string, unknown>)['registration_access_token'] = await token.save();
  };
}
