// Where the answers of the provider are not those of this service.
import { unitOfWork } from '../../unit-of-work/unit-of-work.js';
import { renderForward } from '../../pages/forward-pages.js';
import { claimsSupported } from '../policy/claims.js';
import { storedId } from '../payloads/payload-adapter.js';
import { findAudience } from '../policy/resources.js';
import { routes } from '../policy/routes.js';
import { afterLogoutSource } from '../policy/sign-out.js';
import { hasBody, isAt, isAuthorization, isEndSession, isMetadata, isToken, when } from './conditions.js';
import type { Middleware, MiddlewareNeeds } from './middleware.types.js';

/**
 * The provider answers the preflight requests of browsers. An OPTIONS request without their headers only asks which
 * methods there are.
 */
const answerBareOptions: Middleware = async (ctx, next) => {
  if (ctx.method !== 'OPTIONS' || ctx.get('Access-Control-Request-Method')) return next();
  ctx.set('Allow', 'GET, HEAD, OPTIONS');
  ctx.set('Access-Control-Allow-Origin', '*');
  ctx.status = 204;
};

/** The provider derives `claims_supported` from all scopes; the specification lists fewer. */
const listSupportedClaims: Middleware = async (ctx, next) => {
  await next();
  if (ctx.oidc?.route !== 'discovery' || ctx.status !== 200) return;
  (ctx.body as Record<string, unknown>)['claims_supported'] = claimsSupported;
};

/** Replaces the provider's bare page that posts itself on by one of ours. */
function showForwardPage({ config }: MiddlewareNeeds): Middleware {
  const { origin } = new URL(config.OAUTH_ISSUER);
  return async (ctx, next) => {
    await next();
    if (ctx.response.is('html')) renderForward(ctx, { origin, afterwards: afterLogoutSource(ctx) });
  };
}

/** RFC 9728: a 401 names the document that says where to get a token. */
function nameResourceMetadata({ config }: MiddlewareNeeds): Middleware {
  const parameter = `resource_metadata="${config.OAUTH_ISSUER}/.well-known/oauth-protected-resource"`;
  return async (ctx, next) => {
    await next();
    const challenge = ctx.response.get('WWW-Authenticate');
    if (ctx.status === 401 && challenge) ctx.set('WWW-Authenticate', `${challenge}, ${parameter}`);
  };
}

/**
 * Introspection answers with exactly the members that DECISIONS ("Introspection") lists, for both kinds of token. The
 * `jti` of a refresh token is the hash under which it is stored: its own value could be used.
 */
function introspectionResponse({ config }: MiddlewareNeeds): Middleware {
  return async (ctx, next) => {
    await next();
    if (ctx.oidc?.route !== 'introspection' || ctx.status !== 200) return;
    const { email, userRole: _userRole, sid: _sid, ...members } = ctx.body as Record<string, unknown>;
    const username = email ?? unitOfWork().users.get(String(members['sub']))?.email;
    const refreshToken = members['active'] === true ? ctx.oidc.entities.RefreshToken : undefined;
    if (refreshToken) {
      const audiences = [refreshToken.resource ?? []].flat().map((one) => findAudience(one, config) ?? one);
      members['token_type'] = refreshToken.isSenderConstrained() ? 'DPoP' : 'Bearer';
      members['aud'] = audiences.length > 1 ? audiences : (audiences[0] ?? config.OAUTH_ISSUER);
      members['jti'] = storedId('RefreshToken', refreshToken.jti);
    }
    ctx.body = username === undefined ? members : { ...members, username };
  };
}

/**
 * A revocation answers with an empty body (RFC 7009 2.2) and the content type of the endpoint's other answers. Some
 * clients, such as simple-oauth2, accept no other type.
 */
const revocationResponse: Middleware = async (ctx, next) => {
  await next();
  if (ctx.oidc?.route === 'revocation' && ctx.status === 200) ctx.type = 'json';
};

/**
 * A request that authenticates no client is `invalid_client` and 401 (RFC 6749 5.2); the provider calls it malformed.
 * A token request without even a `grant_type` is malformed here, too.
 */
function reportMissingClientAuthentication({ config }: MiddlewareNeeds): Middleware {
  return async (ctx, next) => {
    await next();
    const { error_description: description } = (ctx.body ?? {}) as { error_description?: unknown };
    if (ctx.status !== 400 || description !== 'no client authentication mechanism provided') return;
    if (isToken(ctx) && ctx.oidc.body?.['grant_type'] === undefined) return;
    ctx.status = 401;
    ctx.set('WWW-Authenticate', `Basic realm="${config.OAUTH_ISSUER}"`);
    ctx.body = { error: 'invalid_client', error_description: description };
  };
}

export const adjustAnswers = (needs: MiddlewareNeeds): Middleware[] => [
  when((ctx) => isAuthorization(ctx) || isEndSession(ctx), showForwardPage(needs)),
  when((ctx) => isMetadata(ctx) || ctx.path === routes.jwks, answerBareOptions),
  when(isMetadata, listSupportedClaims),
  when(isAt(routes.userinfo), nameResourceMetadata(needs)),
  when(isAt(routes.introspection), introspectionResponse(needs)),
  when(isAt(routes.revocation), revocationResponse),
  when(hasBody, reportMissingClientAuthentication(needs)),
];
