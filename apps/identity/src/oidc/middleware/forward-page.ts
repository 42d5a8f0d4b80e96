// Replaces the provider's bare page that posts itself on by one of ours.
import { renderForward } from '../../pages/forward-pages.js';
import type { Middleware, MiddlewareNeeds } from './middleware.types.js';

export function showForwardPage({ config }: MiddlewareNeeds): Middleware {
  const { origin } = new URL(config.OAUTH_ISSUER);
  return async (ctx, next) => {
    await next();
    if (ctx.response.is('html')) renderForward(ctx, origin);
  };
}
