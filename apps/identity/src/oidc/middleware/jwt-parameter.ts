// Lets a JWT through introspection and revocation, which refuse one otherwise. Its row is read first: the row brings
// the client, usually the one that asks, and everything else that the provider will ask for.
import { structuredTokenPrefix } from '../payloads/access-token-adapter.js';
import { isForm } from './conditions.js';
import type { Middleware, MiddlewareNeeds } from './middleware.types.js';
import { bodyOf, setBody } from './request-body.js';

export function acceptJwtParameter({ accessTokens }: MiddlewareNeeds): Middleware {
  return async (ctx, next) => {
    const token = isForm(ctx) ? singleJwt(bodyOf(ctx).toString('latin1')) : undefined;
    if (token) {
      setBody(ctx, Buffer.from(token.prefixedForm));
      await accessTokens.prefetch(token.jwt);
    }
    await next();
  };
}

/** One `token` that needs no decoding, as nearly all clients send it. */
const plainToken = /^((?:[^&]*&)*?token=)([\w-]+\.[\w-]+\.[\w-]+)((?:&(?!token=)[^&]*)*)$/;

/** The JWT in the form's `token`, and the form with the prefix before it; undefined when there is no such token. */
function singleJwt(text: string): { jwt: string; prefixedForm: string } | undefined {
  const [, before, plain, after] = plainToken.exec(text) ?? [];
  if (plain !== undefined) return { jwt: plain, prefixedForm: `${before}${structuredTokenPrefix}${plain}${after}` };
  const form = new URLSearchParams(text);
  const jwt = form.get('token');
  // The provider refuses a parameter that is given twice.
  if (!jwt || form.getAll('token').length > 1) return undefined;
  // A token that already has the prefix receives a second one, and is then no token: only this function may add it.
  if (jwt.split('.').length !== 3 && !jwt.startsWith(structuredTokenPrefix)) return undefined;
  form.set('token', structuredTokenPrefix + jwt);
  return { jwt, prefixedForm: form.toString() };
}
