// What the registration endpoints do beyond the provider: cross-origin requests, limits, and new access tokens.
import { clientNetwork } from '@tradewind/service-kit';
import { errors } from 'oidc-provider';
import { unitOfWork } from '../../unit-of-work/unit-of-work.js';
import { routes } from '../policy/routes.js';
import { isRegistration, when } from './conditions.js';
import type { Middleware, MiddlewareNeeds } from './middleware.types.js';
import { bodyOf } from './request-body.js';

const registrationBytesMax = 8192;
const hourSeconds = 3600;

/**
 * Browser clients such as the MCP inspector register themselves, from any origin: no cookie authorizes a registration.
 * The provider answers cross-origin requests everywhere else.
 */
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

const limitRegistrationSize: Middleware = async (ctx, next) => {
  if (bodyOf(ctx).length <= registrationBytesMax) return next();
  ctx.status = 400;
  ctx.body = {
    error: 'invalid_client_metadata',
    error_description: `a registration must have at most ${registrationBytesMax} bytes`,
  };
};

function limitRegistrations({ config, attempts }: MiddlewareNeeds): Middleware {
  return async (ctx, next) => {
    if (ctx.method !== 'POST' || ctx.path !== routes.registration) return next();
    const { allowed, retryAfterSeconds } = await attempts.take([
      {
        key: `registration network ${clientNetwork(unitOfWork().ip)}`,
        limit: config.REGISTRATIONS_PER_IP_PER_HOUR,
        windowSeconds: hourSeconds,
      },
    ]);
    if (allowed) return next();
    ctx.status = 429;
    ctx.set('Retry-After', String(retryAfterSeconds));
    ctx.body = { error: 'temporarily_unavailable', error_description: 'too many registrations from this address' };
  };
}

/** The provider rotates the registration access token on PUT, and DELETE ends it. This rotates it on GET as well. */
function rotateRegistrationToken({ provider }: MiddlewareNeeds): Middleware {
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

export const guardRegistration = (needs: MiddlewareNeeds): Middleware[] => [
  when(isRegistration, limitRegistrationSize),
  when(isRegistration, limitRegistrations(needs)),
  when(isRegistration, rotateRegistrationToken(needs)),
];
