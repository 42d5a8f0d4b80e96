// Requests with a code or token: what is read for them first, and which of them may be repeated.
import { unitOfWork } from '../../unit-of-work/unit-of-work.js';
import { structuredTokenPrefix } from '../payloads/access-token-adapter.js';
import { PayloadAdapter, storedId } from '../payloads/payload-adapter.js';
import { routes } from '../policy/routes.js';
import { isAt, isForm, isToken, when } from './conditions.js';
import type { Middleware, MiddlewareNeeds } from './middleware.types.js';
import { bodyOf, setBody } from './request-body.js';

/** One statement reads the code or refresh token of a token request, with its grant, client, user and session. */
function readTokenRows({ payloads }: MiddlewareNeeds): Middleware {
  const codes = new PayloadAdapter('AuthorizationCode', payloads);
  const refreshTokens = new PayloadAdapter('RefreshToken', payloads);
  return async (ctx, next) => {
    if (isForm(ctx)) {
      const form = new URLSearchParams(bodyOf(ctx).toString('latin1'));
      const isRefresh = form.get('grant_type') === 'refresh_token';
      const handle = form.get(isRefresh ? 'refresh_token' : 'code');
      if (handle) await (isRefresh ? refreshTokens : codes).prefetch(handle);
    }
    await next();
  };
}

/**
 * A refresh token that arrives again within the grace period receives the first answer again (decision 0022). The
 * provider notices the second use after it has checked the client, grant, user and proof of possession.
 */
function repeatRefresh({ refreshReuse }: MiddlewareNeeds): Middleware {
  return async (ctx, next) => {
    await next();
    const unit = unitOfWork();
    if (!refreshReuse.isOn || ctx.oidc?.params?.['grant_type'] !== 'refresh_token') return;
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

/**
 * The provider marks the code or refresh token as used, and creates the next refresh token, before it checks the
 * requested resource. A client whose resource is refused received nothing: it may use the same token again.
 */
const keepRefusedGrant: Middleware = async (ctx, next) => {
  await next();
  if ((ctx.body as { error?: unknown } | undefined)?.error !== 'invalid_target') return;
  const { consumptions, upserts } = unitOfWork();
  consumptions.clear();
  upserts.clear();
};

/**
 * Lets a JWT through introspection and revocation, which refuse one otherwise. Its row is read first: the row brings
 * the client, usually the one that asks, and everything else that the provider will ask for.
 */
function acceptJwtParameter({ accessTokens }: MiddlewareNeeds): Middleware {
  return async (ctx, next) => {
    const token = isForm(ctx) ? singleJwt(bodyOf(ctx).toString('latin1')) : undefined;
    if (token) {
      setBody(ctx, Buffer.from(token.prefixedForm));
      await accessTokens.prefetch(token.jwt);
    }
    await next();
  };
}

/** The JWT in the form's `token`, and the form with the prefix before it; undefined when there is no such token. */
function singleJwt(text: string): { jwt: string; prefixedForm: string } | undefined {
  const form = new URLSearchParams(text);
  const jwt = form.get('token');
  // The provider refuses a parameter that is given twice.
  if (!jwt || form.getAll('token').length > 1) return undefined;
  // A token that already has the prefix receives a second one, and is then no token: only this function may add it.
  if (jwt.split('.').length !== 3 && !jwt.startsWith(structuredTokenPrefix)) return undefined;
  form.set('token', structuredTokenPrefix + jwt);
  return { jwt, prefixedForm: form.toString() };
}

export const prepareTokens = (needs: MiddlewareNeeds): Middleware[] => [
  when(isToken, readTokenRows(needs)),
  when(isToken, repeatRefresh(needs)),
  when(isToken, keepRefusedGrant),
  when(isAt(routes.introspection, routes.revocation), acceptJwtParameter(needs)),
];
