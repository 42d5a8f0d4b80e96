// The provider answers the preflight requests of browsers. An OPTIONS request without their headers only asks which
// methods there are.
import type { Middleware } from './middleware.types.js';

export const answerBareOptions: Middleware = async (ctx, next) => {
  if (ctx.method !== 'OPTIONS' || ctx.get('Access-Control-Request-Method')) return next();
  ctx.set('Allow', 'GET, HEAD, OPTIONS');
  ctx.set('Access-Control-Allow-Origin', '*');
  ctx.status = 204;
};
