// Stores everything that the request wrote, as one statement, before the response leaves. When that fails the response
// is a 503 or 500, whatever the provider had answered, and no token leaves.
import { isDatabaseUnavailable } from '@tradewind/service-kit';
import { currentUnitOfWork } from '../../unit-of-work/unit-of-work.js';
import type { Context, Middleware, MiddlewareNeeds } from './middleware.types.js';
import { resetResponse } from './reset-response.js';
import { answerSecondUse } from './second-use.js';

export function storeUnitOfWork(needs: MiddlewareNeeds): Middleware {
  const { provider, units, errorPages, logger } = needs;
  return async (ctx, next) => {
    const unit = currentUnitOfWork();
    if (!unit) throw new Error('provider requests run in a unit of work');
    try {
      await next();
      if (unit.keepsSession) removeCookie(ctx, provider.cookieName('session'));
      if (unit.storeFailure === undefined && !(await units.commit(unit))) await answerSecondUse(ctx, unit, needs);
    } catch (error) {
      if (!isDatabaseUnavailable(error)) logger.error({ err: error }, 'a provider request failed');
      unit.storeFailure = error;
    }
    if (unit.storeFailure === undefined) return;
    const isUnavailable = isDatabaseUnavailable(unit.storeFailure);
    resetResponse(ctx);
    ctx.status = isUnavailable ? 503 : 500;
    if (isUnavailable) ctx.set('Retry-After', '5');
    const out = isUnavailable
      ? { error: 'temporarily_unavailable', error_description: 'the service cannot answer at the moment' }
      : { error: 'server_error', error_description: 'the service failed to answer' };
    errorPages.renderOrJson(ctx, out);
  };
}

/** The session is not stored again, so the browser keeps the cookie that it has. */
function removeCookie(ctx: Context, name: string): void {
  const lines = [ctx.response.get('Set-Cookie')].flat().filter(Boolean);
  const others = lines.filter((line) => !line.startsWith(`${name}=`) && !line.startsWith(`${name}.sig=`));
  if (others.length > 0) ctx.set('Set-Cookie', others);
  else ctx.remove('Set-Cookie');
}
