// What this service does around the provider's own handling of a request, one function for each matter, in the order
// in which they wrap it.
import type Provider from 'oidc-provider';
import { errors, type KoaContextWithOIDC } from 'oidc-provider';
import { clientNetwork, isDatabaseUnavailable, parseJsonBody, type Logger } from '@tradewind/service-kit';
import { ServiceError } from '@tradewind/shared-types';
import type { AppConfig } from '../app.config.js';
import type { AuditLog } from '../audit/audit-log.js';
import type { ErrorPages } from '../login-pages/error-pages.js';
import { renderForward } from '../login-pages/forward-pages.js';
import { securityHeaders } from '../login-pages/security-headers.js';
import type { AttemptsStore } from '../throttle/attempts.store.js';
import { structuredTokenPrefix, type AccessTokenAdapter } from './access-tokens.js';
import { claimsSupported } from './claims.js';
import { remember, type PayloadAdapter } from './payload-adapter.js';
import { withOfflineConsent } from './offline-access.js';
import { isStorableText, storedId } from './payload-keys.js';
import type { PayloadsStore } from './payloads.store.js';
import { takePostForGet } from './posted-authorization.js';
import { registrationBytesMax, routes } from './provider-configuration.js';
import { readBody, withBody } from './request-body.js';
import type { RefreshReuse } from './refresh-reuse.js';
import { findAudience } from './resources.js';
import { currentUnit, inRequestUnit, payloadKey, RequestUnit } from './request-unit.js';

type Middleware = (ctx: KoaContextWithOIDC, next: () => Promise<void>) => Promise<void>;

export interface MiddlewareNeeds {
  config: AppConfig;
  provider: Provider;
  payloads: PayloadsStore;
  accessTokens: AccessTokenAdapter;
  rowsOf: (model: string) => PayloadAdapter;
  refreshReuse: RefreshReuse;
  attempts: AttemptsStore;
  audit: AuditLog;
  errorPages: ErrorPages;
  logger: Logger;
}

const hourSeconds = 3600;
/** The provider's own limit, which it reports as a malformed body. */
const providerBodyLimitBytes = 56 * 1024;
const securityHeaderEntries = Object.entries(securityHeaders);

export function providerMiddleware(needs: MiddlewareNeeds): Middleware[] {
  return [
    storeWrites(needs),
    when(hasBody, limitedBody(needs)),
    when(isRegistration, registrationLimit(needs)),
    when(isToken, refreshAgain(needs)),
    when(isToken, refusedResourceRedeemsNothing),
    when(isAuthorization, prefetchAuthorization(needs)),
    when(isAuthorization, forwardOnOwnPage(needs)),
    when(isAuthorization, offlineAccessAsksForConsent),
    when(isOpenDocument, openPreflight),
    when(isMetadata, discoveryAsSpecified),
    when(isUserinfo, resourceMetadataHint(needs)),
    when(isIntrospection, introspectionAsDecided(needs)),
    when(isRevocation, emptyJson),
    when(hasBody, missingClientAuthentication(needs)),
    when(isRegistration, rotatingRegistrationToken(needs)),
  ];
}

/** Who is not concerned passes by without a promise of its own, which costs a tenth of a look-up for all of them. */
const when =
  (isConcerned: (ctx: KoaContextWithOIDC) => boolean, middleware: Middleware): Middleware =>
  (ctx, next) =>
    isConcerned(ctx) ? middleware(ctx, next) : next();

const isAtOrBelow = (path: string, route: string): boolean => path === route || path.startsWith(`${route}/`);
const hasBody = (ctx: KoaContextWithOIDC): boolean => ctx.method === 'POST' || ctx.method === 'PUT';
const isRegistration = (ctx: KoaContextWithOIDC): boolean => isAtOrBelow(ctx.path, routes.registration);
const isAuthorization = (ctx: KoaContextWithOIDC): boolean => isAtOrBelow(ctx.path, routes.authorization);
const isMetadata = (ctx: KoaContextWithOIDC): boolean => ctx.path.startsWith('/.well-known/');
const isOpenDocument = (ctx: KoaContextWithOIDC): boolean => isMetadata(ctx) || ctx.path === routes.jwks;
const isToken = (ctx: KoaContextWithOIDC): boolean => ctx.path === routes.token;
const isUserinfo = (ctx: KoaContextWithOIDC): boolean => ctx.path === routes.userinfo;
const isIntrospection = (ctx: KoaContextWithOIDC): boolean => ctx.path === routes.introspection;
const isRevocation = (ctx: KoaContextWithOIDC): boolean => ctx.path === routes.revocation;

/**
 * Stores everything the request wrote, as one statement, before the response leaves. When the store fails the
 * response is a 503 whatever the provider had made of it, and no token leaves.
 */
function storeWrites(needs: MiddlewareNeeds): Middleware {
  const { provider, payloads, errorPages, logger } = needs;
  return async (ctx, next) => {
    const unit = currentUnit();
    if (!unit) throw new Error('provider requests run in a request unit');
    for (const [name, value] of securityHeaderEntries) ctx.res.setHeader(name, value);
    try {
      await next();
      if (unit.keepsSession) removeCookie(ctx, provider.cookieName('session'));
      if (unit.storeFailure === undefined && !unit.isEmpty && !(await payloads.flush(unit))) {
        if (unit.consumptions.size > 0) await answerLostRedemption(ctx, unit, needs);
        else refuseSecondUse(ctx, errorPages);
        return;
      }
    } catch (error) {
      if (!isDatabaseUnavailable(error)) logger.error({ err: error }, 'a provider request failed');
      unit.storeFailure = error;
    }
    if (unit.storeFailure === undefined) {
      for (const act of unit.afterwards) act();
      return;
    }
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

/** Somebody else resolved the interaction, or used the registration access token, while this request did the same. */
function refuseSecondUse(ctx: KoaContextWithOIDC, errorPages: ErrorPages): void {
  const isManagement = ctx.path.startsWith(`${routes.registration}/`);
  resetResponse(ctx);
  ctx.status = isManagement ? 401 : 400;
  const out = isManagement
    ? { error: 'invalid_token', error_description: 'invalid token provided' }
    : { error: 'invalid_request', error_description: 'the authorization request was answered already' };
  if (isManagement) ctx.set('WWW-Authenticate', `Bearer realm="${ctx.origin}", error="invalid_token"`);
  errorPages.renderOrJson(ctx, out);
}

/** Of two refreshes at the same time this one came second. Within the grace it has the answer of the first. */
async function answerLostRedemption(ctx: KoaContextWithOIDC, unit: RequestUnit, needs: MiddlewareNeeds) {
  const [used] = unit.consumptions.values();
  const answer = used?.model === 'RefreshToken' ? await needs.refreshReuse.find(ctx, used.id) : undefined;
  if (answer === undefined) return refuseReuse(ctx, unit, needs);
  ctx.body = answer;
}

/**
 * The same, one after the other: the provider has noticed that the token was used, and wants to end its grant. It notices
 * after everything else was right (client, grant, user, proof of possession), so the first answer may be given again.
 */
function refreshAgain({ refreshReuse }: MiddlewareNeeds): Middleware {
  return async (ctx, next) => {
    await next();
    const unit = currentUnit();
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

/**
 * The provider marks the code or refresh token as used, and makes the next refresh token, before it looks at the resource
 * that is asked for. A client that is refused the resource received nothing: the same token serves its next request.
 */
const refusedResourceRedeemsNothing: Middleware = async (ctx, next) => {
  await next();
  if ((ctx.body as { error?: unknown } | undefined)?.error !== 'invalid_target') return;
  const unit = currentUnit();
  unit?.consumptions.clear();
  unit?.upserts.clear();
};

/**
 * Somebody redeemed the code or refresh token while this request did the same: its grant ends, with all that the other
 * one received (RFC 9700 2.1.1, 4.14).
 */
async function refuseReuse(ctx: KoaContextWithOIDC, unit: RequestUnit, { payloads, audit }: MiddlewareNeeds) {
  for (const { grantId } of unit.consumptions.values()) {
    // Of many that lost, one finds something to end.
    if (grantId === undefined || (await payloads.revokeGrant(grantId)) === 0) continue;
    const revocation = new RequestUnit(unit.ip);
    const details = { grant_id: grantId, by: ctx.oidc.route };
    await inRequestUnit(revocation, () =>
      audit.record({ event: 'grant.revoked', clientId: ctx.oidc.client?.clientId, details }),
    );
    await payloads.flush(revocation);
    for (const act of revocation.afterwards) act();
  }
  resetResponse(ctx);
  ctx.status = 400;
  ctx.body = { error: 'invalid_grant', error_description: 'grant request is invalid' };
}

/** The answer leaves the cookie as it is. */
function removeCookie(ctx: KoaContextWithOIDC, name: string): void {
  const lines = [ctx.response.get('Set-Cookie')].flat().filter(Boolean);
  const others = lines.filter((line) => !line.startsWith(`${name}=`) && !line.startsWith(`${name}.sig=`));
  if (others.length > 0) ctx.set('Set-Cookie', others);
  else ctx.remove('Set-Cookie');
}

function resetResponse(ctx: KoaContextWithOIDC): void {
  for (const name of ['Set-Cookie', 'Location', 'Content-Type', 'Content-Length']) ctx.remove(name);
  ctx.body = undefined;
}

/**
 * Reads the body once, up to the limit, and lets a JWT pass through introspection and revocation. The row that a form is
 * about is looked up first: it brings along its client, mostly the one that asks, and all else the provider will ask for.
 */
function limitedBody({ config, accessTokens, rowsOf, errorPages }: MiddlewareNeeds): Middleware {
  return async (ctx, next) => {
    let body: Buffer;
    try {
      body = await readBody(ctx.req, Math.min(config.BODY_LIMIT_BYTES, providerBodyLimitBytes));
      // The provider parses it once more, and walks through it without looking at its depth.
      if (isRegistration(ctx) && ctx.is('json')) parseJsonBody(body.toString());
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      ctx.status = error.status;
      ctx.set(error.headers);
      ctx.body = { error: 'invalid_request', error_description: error.message };
      return;
    }
    if (isRegistration(ctx) && body.length > registrationBytesMax) {
      allowCrossOrigin(ctx);
      ctx.status = 400;
      ctx.body = {
        error: 'invalid_client_metadata',
        error_description: `a registration must have at most ${registrationBytesMax} bytes`,
      };
      return;
    }
    if (isAuthorization(ctx)) {
      try {
        if (takePostForGet(ctx, body, config.OAUTH_ISSUER)) return;
      } catch (error) {
        if (!(error instanceof errors.OIDCProviderError)) throw error;
        ctx.status = 400;
        errorPages.renderOrJson(ctx, { error: error.error, error_description: error.error_description });
        return;
      }
      return next();
    }
    if (isForm(ctx) && ctx.path === routes.pushed_authorization_request) {
      body = Buffer.from(withOfflineConsent(body.toString()) ?? body);
    }
    if (isForm(ctx) && (isIntrospection(ctx) || isRevocation(ctx))) {
      const token = singleJwt(body);
      if (token) {
        body = Buffer.from(token.prefixedBody);
        await accessTokens.prefetch(token.jwt);
      }
    } else if (isForm(ctx) && ctx.path === routes.token) {
      const form = new URLSearchParams(body.toString('latin1'));
      const isRefresh = form.get('grant_type') === 'refresh_token';
      const model = isRefresh ? 'RefreshToken' : 'AuthorizationCode';
      const handle = form.get(isRefresh ? 'refresh_token' : 'code');
      if (handle) await rowsOf(model).prefetch(handle);
    }
    withBody(ctx, body);
    await next();
  };
}

const isForm = (ctx: KoaContextWithOIDC): boolean =>
  (ctx.get('content-type').split(';', 1)[0] ?? '').trim().toLowerCase() === 'application/x-www-form-urlencoded';

/** One `token` with nothing to decode in it, as nearly all clients send it. */
const plainToken = /^((?:[^&]*&)*?token=)([\w-]+\.[\w-]+\.[\w-]+)((?:&(?!token=)[^&]*)*)$/;

/** The JWT in the form's `token`, and the form with the prefix before it; undefined when there is no such token. */
function singleJwt(body: Buffer): { jwt: string; prefixedBody: string } | undefined {
  const text = body.toString('latin1');
  const [, before, plain, after] = plainToken.exec(text) ?? [];
  if (plain !== undefined) return { jwt: plain, prefixedBody: `${before}${structuredTokenPrefix}${plain}${after}` };
  const form = new URLSearchParams(text);
  const jwt = form.get('token');
  // Given twice, it stays as it is: the provider refuses duplicates.
  if (!jwt || form.getAll('token').length > 1) return undefined;
  // What carries the prefix already gets it once more, and is no token: only this function may add it.
  if (jwt.split('.').length !== 3 && !jwt.startsWith(structuredTokenPrefix)) return undefined;
  form.set('token', structuredTokenPrefix + jwt);
  return { jwt, prefixedBody: form.toString() };
}

function registrationLimit({ config, attempts }: MiddlewareNeeds): Middleware {
  return async (ctx, next) => {
    allowCrossOrigin(ctx);
    if (ctx.method === 'OPTIONS') return;
    if (ctx.method !== 'POST' || ctx.path !== routes.registration) return next();
    const { allowed, retryAfterSeconds } = await attempts.take([
      {
        key: `registration network ${clientNetwork(currentUnit()?.ip)}`,
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

/** Browser clients register themselves, too (the MCP inspector does); a registration is authorized by no cookie. */
function allowCrossOrigin(ctx: KoaContextWithOIDC): void {
  ctx.vary('Origin');
  if (!ctx.get('Origin')) return;
  ctx.set('Access-Control-Allow-Origin', ctx.get('Origin'));
  ctx.set('Access-Control-Expose-Headers', 'WWW-Authenticate');
  if (ctx.method !== 'OPTIONS') return;
  allowPreflight(ctx, ctx.path === routes.registration ? 'POST' : 'GET, PUT, DELETE');
}

function allowPreflight(ctx: KoaContextWithOIDC, methods: string): void {
  ctx.set('Access-Control-Allow-Methods', methods);
  ctx.set('Access-Control-Allow-Headers', ctx.get('Access-Control-Request-Headers'));
  ctx.set('Access-Control-Max-Age', '3600');
  ctx.status = 204;
}

/** One look-up brings session, interaction, client, user and grant of a request that carries their cookies. */
function prefetchAuthorization({ provider, payloads }: MiddlewareNeeds): Middleware {
  return async (ctx, next) => {
    const unit = currentUnit();
    if (!unit) return next();
    // A resumed request is known by its cookie alone. The provider's error handler stumbles over parameters there.
    if (ctx.path !== routes.authorization) ctx.querystring = '';
    const idFromCookie = (model: string, cookie: string): string | null => {
      const handle = ctx.cookies.get(provider.cookieName(cookie), { signed: true });
      return handle ? storedId(model, handle) : null;
    };
    const sessionId = idFromCookie('Session', 'session');
    const interactionId = idFromCookie('Interaction', 'resume');
    if (sessionId === null && interactionId === null) return next();
    const { client_id: clientId } = ctx.query;
    const found = await payloads.findForAuthorization(
      sessionId,
      interactionId,
      typeof clientId === 'string' && isStorableText(clientId) ? clientId : null,
    );
    for (const [model, id] of [
      ['Session', sessionId],
      ['Interaction', interactionId],
    ] as const) {
      const row = model === 'Session' ? found.session : found.interaction;
      if (id !== null) unit.payloads.set(payloadKey(model, id), row);
      if (row) remember(unit, row);
    }
    await next();
  };
}

function forwardOnOwnPage({ config }: MiddlewareNeeds): Middleware {
  const { origin } = new URL(config.OAUTH_ISSUER);
  return async (ctx, next) => {
    await next();
    if (ctx.response.is('html')) renderForward(ctx, origin);
  };
}

const offlineAccessAsksForConsent: Middleware = (ctx, next) => {
  if (ctx.path === routes.authorization) ctx.querystring = withOfflineConsent(ctx.querystring) ?? ctx.querystring;
  return next();
};

/** Anybody may read the metadata, from any origin. A request with no more than the method asks what there is. */
const openPreflight: Middleware = async (ctx, next) => {
  if (ctx.method !== 'OPTIONS') return next();
  ctx.set('Allow', 'GET, HEAD, OPTIONS');
  ctx.set('Access-Control-Allow-Origin', '*');
  allowPreflight(ctx, 'GET');
};

const discoveryAsSpecified: Middleware = async (ctx, next) => {
  await next();
  if (ctx.oidc?.route !== 'discovery' || ctx.status !== 200) return;
  const document = ctx.body as Record<string, unknown>;
  document['claims_supported'] = claimsSupported;
};

/** RFC 9728: a 401 names the document that says where to get a token. */
function resourceMetadataHint({ config }: MiddlewareNeeds): Middleware {
  return async (ctx, next) => {
    await next();
    const challenge = ctx.response.get('WWW-Authenticate');
    if (ctx.status !== 401 || !challenge) return;
    const hint = `resource_metadata="${config.OAUTH_ISSUER}/.well-known/oauth-protected-resource"`;
    ctx.set('WWW-Authenticate', `${challenge}, ${hint}`);
  };
}

/**
 * Exactly the members that were decided (DECISIONS, "Introspection"), for both kinds of token. A refresh token is
 * known by the hash under which it is stored: its own value would open something.
 */
function introspectionAsDecided({ config }: MiddlewareNeeds): Middleware {
  return async (ctx, next) => {
    await next();
    if (ctx.oidc?.route !== 'introspection' || ctx.status !== 200) return;
    const { email, userRole: _userRole, sid: _sid, ...members } = ctx.body as Record<string, unknown>;
    const username = email ?? currentUnit()?.users.get(String(members['sub']))?.email;
    const refreshToken = members['active'] === true ? ctx.oidc.entities.RefreshToken : undefined;
    if (refreshToken) {
      const { OAUTH_ISSUER: issuer, OAUTH_RESOURCES: resources } = config;
      const audiences = [refreshToken.resource ?? []].flat().map((one) => findAudience(one, issuer, resources) ?? one);
      members['token_type'] = refreshToken.isSenderConstrained() ? 'DPoP' : 'Bearer';
      members['aud'] = audiences.length > 1 ? audiences : (audiences[0] ?? issuer);
      members['jti'] = storedId('RefreshToken', refreshToken.jti);
    }
    ctx.body = username === undefined ? members : { ...members, username };
  };
}

/**
 * Nothing is said (RFC 7009 2.2), in the type of the endpoint's other answers: some clients, simple-oauth2 among them,
 * take no other type, and an empty text for null.
 */
const emptyJson: Middleware = async (ctx, next) => {
  await next();
  if (ctx.oidc?.route === 'revocation' && ctx.status === 200) ctx.type = 'json';
};

/**
 * A request that authenticates no client is `invalid_client` and 401 (RFC 6749 5.2); the provider calls it malformed. A
 * token request without even a `grant_type` is that.
 */
function missingClientAuthentication({ config }: MiddlewareNeeds): Middleware {
  return async (ctx, next) => {
    await next();
    const { error_description: description } = (ctx.body ?? {}) as { error_description?: unknown };
    if (ctx.status !== 400 || description !== 'no client authentication mechanism provided') return;
    if (ctx.path === routes.token && ctx.oidc.body?.['grant_type'] === undefined) return;
    ctx.status = 401;
    ctx.set('WWW-Authenticate', `Basic realm="${config.OAUTH_ISSUER}"`);
    ctx.body = { error: 'invalid_client', error_description: description };
  };
}

/** The provider rotates the registration access token on PUT, and DELETE ends it; this does it on GET. */
function rotatingRegistrationToken({ provider }: MiddlewareNeeds): Middleware {
  return async (ctx, next) => {
    await next();
    if (ctx.oidc?.route !== 'client' || ctx.status !== 200) return;
    const { client, entities } = ctx.oidc;
    if (!client || !entities.RegistrationAccessToken) throw new errors.InvalidToken();
    await entities.RegistrationAccessToken.destroy();
    // The declared constructor takes no arguments; the real one takes the token's properties.
    const Token = provider.RegistrationAccessToken as unknown as new (properties: object) => {
      save(): Promise<string>;
    };
    const token = new Token({ client });
    (ctx.body as Record<string, unknown>)['registration_access_token'] = await token.save();
  };
}
