// The provider derives `claims_supported` from all scopes; the specification lists fewer.
import { claimsSupported } from '../claims.js';
import type { Middleware } from './middleware.types.js';

export const listSupportedClaims: Middleware = async (ctx, next) => {
  await next();
  if (ctx.oidc?.route !== 'discovery' || ctx.status !== 200) return;
  (ctx.body as Record<string, unknown>)['claims_supported'] = claimsSupported;
};
