// A refresh token that arrives again within the grace period receives the first answer again (decision 0022). The
// provider notices the second use after it has checked the client, grant, user and proof of possession.
import { currentUnitOfWork } from '../../unit-of-work/unit-of-work.js';
import { storedId } from '../payloads/payload-keys.js';
import type { Middleware, MiddlewareNeeds } from './middleware.types.js';

export function repeatRefresh({ refreshReuse }: MiddlewareNeeds): Middleware {
  return async (ctx, next) => {
    await next();
    const unit = currentUnitOfWork();
    if (!refreshReuse.isOn || !unit || ctx.oidc?.params?.['grant_type'] !== 'refresh_token') return;
    refreshReuse.keep(ctx, unit);
    const presented = ctx.oidc.entities.RefreshToken;
    if (ctx.status !== 400 || unit.storeFailure !== undefined || presented?.consumed === undefined) return;
    const answer = await refreshReuse.find(ctx, storedId('RefreshToken', presented.jti));
    if (answer === undefined) return;
    unit.discardWrites();
    ctx.status = 200;
    ctx.body = answer;
  };
}
