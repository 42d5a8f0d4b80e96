// The provider rotates the registration access token on PUT, and DELETE ends it. This rotates it on GET as well.
import { errors } from 'oidc-provider';
import type { Middleware, MiddlewareNeeds } from './middleware.types.js';

export function rotateRegistrationToken({ provider }: MiddlewareNeeds): Middleware {
  // Declared without arguments; like every token of the provider, it takes its properties.
  const Token = provider.RegistrationAccessToken as unknown as new (properties: object) => { save(): Promise<string> };
  return async (ctx, next) => {
    await next();
    if (ctx.oidc?.route !== 'client' || ctx.status !== 200) return;
    const { client, entities } = ctx.oidc;
    if (!client || !entities.RegistrationAccessToken) throw new errors.InvalidToken();
    await entities.RegistrationAccessToken.destroy();
    (ctx.body as Record<string, unknown>)['registration_access_token'] = await new Token({ client }).save();
  };
}
