// The answer to a request that another one preceded: both used the same code, refresh token, interaction or
// registration access token, and only the first was stored (decision 0022).
import type { UnitOfWork } from '../../unit-of-work/unit-of-work.js';
import { routes } from '../routes.js';
import type { Context, MiddlewareNeeds } from './middleware.types.js';
import { resetResponse } from './reset-response.js';

export async function answerSecondUse(ctx: Context, unit: UnitOfWork, needs: MiddlewareNeeds): Promise<void> {
  const [used] = unit.consumptions.values();
  if (!used) return refuseSecondAnswer(ctx, needs);
  // Within the grace period, the second of two refreshes receives the answer of the first.
  const answer = used.model === 'RefreshToken' ? await needs.refreshReuse.find(ctx, used.id) : undefined;
  if (answer === undefined) return refuseSecondRedemption(ctx, unit, needs);
  ctx.body = answer;
}

/** Another request resolved the interaction or used the registration access token. */
function refuseSecondAnswer(ctx: Context, { errorPages }: MiddlewareNeeds): void {
  const isManagement = ctx.path.startsWith(`${routes.registration}/`);
  resetResponse(ctx);
  ctx.status = isManagement ? 401 : 400;
  const out = isManagement
    ? { error: 'invalid_token', error_description: 'invalid token provided' }
    : { error: 'invalid_request', error_description: 'the authorization request was answered already' };
  if (isManagement) ctx.set('WWW-Authenticate', `Bearer realm="${ctx.origin}", error="invalid_token"`);
  errorPages.renderOrJson(ctx, out);
}

/**
 * Another request redeemed the code or refresh token: its grant ends, with everything that the other request received
 * (RFC 9700 2.1.1, 4.14).
 */
async function refuseSecondRedemption(ctx: Context, unit: UnitOfWork, { payloads, audit }: MiddlewareNeeds) {
  for (const { grantId } of unit.consumptions.values()) {
    if (grantId === undefined) continue;
    const details = { grant_id: grantId, by: ctx.oidc.route };
    const event = { event: 'grant.revoked', clientId: ctx.oidc.client?.clientId, ip: unit.ip, details };
    // Of many losing requests, one deletes rows and records the revocation.
    await audit.recordChange(async (tx) => ((await payloads.revokeGrant(tx, grantId)) > 0 ? event : undefined));
  }
  resetResponse(ctx);
  ctx.status = 400;
  ctx.body = { error: 'invalid_grant', error_description: 'grant request is invalid' };
}
