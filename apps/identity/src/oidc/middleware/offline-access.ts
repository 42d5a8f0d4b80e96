// The provider grants offline_access only with prompt=consent (OpenID Connect Core 11). Here the scope is enough: the
// prompt is added to the request, with a mark that the client did not ask for it. A user who has consented before is
// not asked again. With prompt=none nobody can consent, and the request continues without a refresh token.
import { routes } from '../routes.js';
import { isForm } from './conditions.js';
import type { Middleware } from './middleware.types.js';
import { bodyOf, setBody } from './request-body.js';

/** The parameter that is the mark. A client that sends it only makes its own prompt=consent optional. */
export const consentOnce = 'consent_once';

export const askConsentForOfflineAccess: Middleware = (ctx, next) => {
  if (ctx.path === routes.authorization) ctx.querystring = withOfflineConsent(ctx.querystring) ?? ctx.querystring;
  return next();
};

export const askConsentForPushedOfflineAccess: Middleware = (ctx, next) => {
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
