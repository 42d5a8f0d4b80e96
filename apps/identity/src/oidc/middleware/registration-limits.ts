// How long one registration may be, and how many a network may make in an hour.
import { clientNetwork } from '@tradewind/service-kit';
import { currentUnitOfWork } from '../../unit-of-work/unit-of-work.js';
import { routes } from '../routes.js';
import type { Middleware, MiddlewareNeeds } from './middleware.types.js';
import { bodyOf } from './request-body.js';

const registrationBytesMax = 8192;
const hourSeconds = 3600;

export const limitRegistrationSize: Middleware = async (ctx, next) => {
  if (bodyOf(ctx).length <= registrationBytesMax) return next();
  ctx.status = 400;
  ctx.body = {
    error: 'invalid_client_metadata',
    error_description: `a registration must have at most ${registrationBytesMax} bytes`,
  };
};

export function limitRegistrations({ config, attempts }: MiddlewareNeeds): Middleware {
  return async (ctx, next) => {
    if (ctx.method !== 'POST' || ctx.path !== routes.registration) return next();
    const { allowed, retryAfterSeconds } = await attempts.take([
      {
        key: `registration network ${clientNetwork(currentUnitOfWork()?.ip)}`,
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
