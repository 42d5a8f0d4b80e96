// Stores everything that the request wrote, as one statement, before the response leaves. When that fails the response
// is a 503 or 500, whatever the provider had answered, and no token leaves.
import { isDatabaseUnavailable } from '@tradewind/service-kit';
import { errorPageOrJson } from '../../pages/error-pages.js';
import { unitOfWork, type UnitOfWork } from '../../unit-of-work/unit-of-work.js';
import { authorOf } from '../policy/author.js';
import { routes } from '../policy/routes.js';
import type { Context, Middleware, MiddlewareNeeds } from './middleware.types.js';

export function storeUnitOfWork(needs: MiddlewareNeeds): Middleware {
  const { provider, units, logger } = needs;
  return async (ctx, next) => {
    const unit = unitOfWork();
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
    errorPageOrJson(ctx, out);
  };
}

/** The session is not stored again, so the browser keeps the cookie that it has. */
function removeCookie(ctx: Context, name: string): void {
  const lines = [ctx.response.get('Set-Cookie')].flat().filter(Boolean);
  const others = lines.filter((line) => !line.startsWith(`${name}=`) && !line.startsWith(`${name}.sig=`));
  if (others.length > 0) ctx.set('Set-Cookie', others);
  else ctx.remove('Set-Cookie');
}

/** Removes what the provider has answered so far. */
function resetResponse(ctx: Context): void {
  for (const name of ['Set-Cookie', 'Location', 'Content-Type', 'Content-Length']) ctx.remove(name);
  ctx.body = undefined;
}

/**
 * The answer to a request that another one preceded. Both used the same code, refresh token, interaction or
 * registration access token, and only the first was stored (decision 0022).
 */
async function answerSecondUse(ctx: Context, unit: UnitOfWork, needs: MiddlewareNeeds): Promise<void> {
  const [used] = unit.consumptions.values();
  if (!used) return refuseSecondAnswer(ctx);
  // Within the grace period, the second of two refreshes receives the answer of the first.
  const answer = used.model === 'RefreshToken' ? await needs.refreshReuse.find(ctx, used.id) : undefined;
  if (answer === undefined) return refuseSecondRedemption(ctx, unit, needs);
  ctx.body = answer;
}

/** Another request resolved the interaction or used the registration access token. */
function refuseSecondAnswer(ctx: Context): void {
  const isManagement = ctx.path.startsWith(`${routes.registration}/`);
  resetResponse(ctx);
  ctx.status = isManagement ? 401 : 400;
  const out = isManagement
    ? { error: 'invalid_token', error_description: 'invalid token provided' }
    : { error: 'invalid_request', error_description: 'the authorization request was answered already' };
  if (isManagement) ctx.set('WWW-Authenticate', `Bearer realm="${ctx.origin}", error="invalid_token"`);
  errorPageOrJson(ctx, out);
}

/**
 * Another request redeemed the code or refresh token: its grant ends, with everything that the other request received
 * (RFC 9700 2.1.1, 4.14).
 */
async function refuseSecondRedemption(ctx: Context, unit: UnitOfWork, { payloads, audit }: MiddlewareNeeds) {
  for (const { grantId } of unit.consumptions.values()) {
    if (grantId === undefined) continue;
    const details = { grant_id: grantId, by: authorOf(ctx), via: ctx.oidc.route };
    const event = { event: 'grant.revoked', clientId: ctx.oidc.client?.clientId, ip: unit.ip, details };
    // Of many losing requests, one deletes rows and records the revocation.
    await audit.recordChange(async (tx) => ((await payloads.revokeGrant(tx, grantId)) > 0 ? event : undefined));
  }
  resetResponse(ctx);
  ctx.status = 400;
  ctx.body = { error: 'invalid_grant', error_description: 'grant request is invalid' };
}
