// Browser clients such as the MCP inspector register themselves, from any origin: no cookie authorizes a registration.
// The provider answers cross-origin requests everywhere else.
import { routes } from '../routes.js';
import type { Middleware } from './middleware.types.js';

export const allowRegistrationOrigins: Middleware = async (ctx, next) => {
  ctx.vary('Origin');
  const origin = ctx.get('Origin');
  if (origin) {
    ctx.set('Access-Control-Allow-Origin', origin);
    ctx.set('Access-Control-Expose-Headers', 'WWW-Authenticate');
  }
  if (ctx.method !== 'OPTIONS') return next();
  if (!origin) return;
  ctx.set('Access-Control-Allow-Methods', ctx.path === routes.registration ? 'POST' : 'GET, PUT, DELETE');
  ctx.set('Access-Control-Allow-Headers', ctx.get('Access-Control-Request-Headers'));
  ctx.set('Access-Control-Max-Age', '3600');
  ctx.status = 204;
};
