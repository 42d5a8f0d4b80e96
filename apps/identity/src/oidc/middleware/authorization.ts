// What happens to an authorization request, and to a sign-out, before the provider sees it.
import { errors } from 'oidc-provider';
import { errorPageOrJson } from '../../pages/error-pages.js';
import { renderRepost } from '../../pages/forward-pages.js';
import { payloadKey, unitOfWork } from '../../unit-of-work/unit-of-work.js';
import { remember, isStorableText, storedId } from '../payloads/payload-adapter.js';
import { routes } from '../policy/routes.js';
import { hasBody, isAt, isAuthorization, isForm, when } from './conditions.js';
import type { Context, Middleware, MiddlewareNeeds } from './middleware.types.js';
import { bodyOf, setBody } from './request-body.js';

/** Characters; some proxies cut or refuse longer addresses. */
const queryLengthMax = 6000;

/**
 * POST at the authorization endpoint (OpenID Connect Core 3.1.2.1) and at the end of a session (RP-Initiated Logout 2).
 * The form is treated as the query of a GET. The provider's own support needs SameSite=None cookies, which any site
 * could make a browser send. Ours are Lax, and a browser omits them from a form that another site posts. Such a request
 * is sent on from here, which includes them.
 */
function acceptPostedRequest({ config }: MiddlewareNeeds): Middleware {
  return async (ctx, next) => {
    const body = bodyOf(ctx);
    if (body.length > 0 && !ctx.is('application/x-www-form-urlencoded')) {
      const { error, error_description } = new errors.InvalidRequest(
        'only application/x-www-form-urlencoded content-type bodies are supported here',
      );
      ctx.status = 400;
      return errorPageOrJson(ctx, { error, error_description });
    }
    // Parsed and serialized again, only what a query may hold is left.
    const query = new URLSearchParams(body.toString()).toString();
    if (ctx.get('Sec-Fetch-Site') === 'cross-site') return sendOn(ctx, config.OAUTH_ISSUER + ctx.path, query);
    ctx.method = 'GET';
    ctx.querystring = query;
    delete ctx.req.headers['content-type'];
    setBody(ctx, Buffer.alloc(0));
    return next();
  };
}

function sendOn(ctx: Context, target: string, query: string): void {
  ctx.set('Cache-Control', 'no-store');
  if (query.length > queryLengthMax) return renderRepost(ctx, target, new URLSearchParams(query));
  ctx.status = 303;
  ctx.set('Location', `${target}?${query}`);
}

/** One statement reads the session and the interaction that the cookies name, with their client, user and grant. */
function readAuthorizationRows({ provider, payloads }: MiddlewareNeeds): Middleware {
  return async (ctx, next) => {
    const unit = unitOfWork();
    // Only the cookie identifies a resumed request. Parameters there break the provider's error handler.
    if (ctx.path !== routes.authorization) ctx.querystring = '';
    const idFromCookie = (model: string, cookie: string): string | null => {
      const handle = ctx.cookies.get(provider.cookieName(cookie), { signed: true });
      return handle ? storedId(model, handle) : null;
    };
    const sessionId = idFromCookie('Session', 'session');
    const interactionId = idFromCookie('Interaction', 'resume');
    if (sessionId === null && interactionId === null) return next();
    const { client_id: clientId } = ctx.query;
    const { session, interaction } = await payloads.findForAuthorization(
      sessionId,
      interactionId,
      typeof clientId === 'string' && isStorableText(clientId) ? clientId : null,
    );
    if (sessionId !== null) unit.payloads.set(payloadKey('Session', sessionId), session);
    if (interactionId !== null) unit.payloads.set(payloadKey('Interaction', interactionId), interaction);
    if (session) remember(unit, session);
    if (interaction) remember(unit, interaction);
    await next();
  };
}

// The provider grants offline_access only with prompt=consent (OpenID Connect Core 11). Here the scope is enough: the
// prompt is added to the request, with a mark that the client did not ask for it. A user who has consented before is
// not asked again. With prompt=none nobody can consent, and the request continues without a refresh token.

/** The parameter that is the mark. A client that sends it only makes its own prompt=consent optional. */
export const consentOnce = 'consent_once';

const askConsentForOfflineAccess: Middleware = (ctx, next) => {
  if (ctx.path === routes.authorization) ctx.querystring = withOfflineConsent(ctx.querystring) ?? ctx.querystring;
  return next();
};

const askConsentForPushedOfflineAccess: Middleware = (ctx, next) => {
  const parameters = isForm(ctx) ? withOfflineConsent(bodyOf(ctx).toString()) : undefined;
  if (parameters !== undefined) setBody(ctx, Buffer.from(parameters));
  return next();
};

/** The parameters with the prompt that offline_access needs; undefined when nothing changes. */
function withOfflineConsent(parameters: string): string | undefined {
  if (!parameters.includes('offline_access')) return undefined;
  const form = new URLSearchParams(parameters);
  const [scopes, prompts] = [form.getAll('scope'), form.getAll('prompt')];
  // The provider refuses a parameter that is given twice.
  if (scopes.length !== 1 || prompts.length > 1 || !scopes[0]?.split(' ').includes('offline_access')) return undefined;
  const asked = prompts[0]?.split(' ').filter(Boolean) ?? [];
  if (asked.includes('none') || asked.includes('consent')) return undefined;
  form.set('prompt', [...asked, 'consent'].join(' '));
  form.set(consentOnce, 'true');
  return form.toString();
}

export const prepareAuthorization = (needs: MiddlewareNeeds): Middleware[] => [
  when((ctx) => hasBody(ctx) && (isAuthorization(ctx) || ctx.path === routes.end_session), acceptPostedRequest(needs)),
  when(isAuthorization, readAuthorizationRows(needs)),
  when(isAuthorization, askConsentForOfflineAccess),
  when(isAt(routes.pushed_authorization_request), askConsentForPushedOfflineAccess),
];
