// POST at the authorization endpoint (OpenID Connect Core 3.1.2.1): the form is taken for the query of a GET. The provider's
// own support wants SameSite=None cookies, which any site could make a browser send. Ours are Lax, and a browser leaves
// them out of a form that another site posts: such a request is sent on from here, where they come along.
import { errors, type KoaContextWithOIDC } from 'oidc-provider';
import { renderRepost } from '../login-pages/forward-pages.js';
import { routes } from './provider-configuration.js';
import { withBody } from './request-body.js';

/** Characters; addresses longer than this are cut or refused by one proxy or another. */
const queryLengthMax = 6000;

/** @returns whether the request has its answer already */
export function takePostForGet(ctx: KoaContextWithOIDC, body: Buffer, issuer: string): boolean {
  if (body.length > 0 && !ctx.is('application/x-www-form-urlencoded')) {
    throw new errors.InvalidRequest('only application/x-www-form-urlencoded content-type bodies are supported here');
  }
  // Parsed and put together again: nothing but what a query may hold is left.
  const query = new URLSearchParams(body.toString()).toString();
  if (ctx.get('Sec-Fetch-Site') === 'cross-site') {
    ctx.set('Cache-Control', 'no-store');
    const target = issuer + routes.authorization;
    if (query.length > queryLengthMax) renderRepost(ctx, target, new URLSearchParams(query));
    else {
      ctx.status = 303;
      ctx.set('Location', `${target}?${query}`);
    }
    return true;
  }
  ctx.method = 'GET';
  ctx.querystring = query;
  delete ctx.req.headers['content-type'];
  withBody(ctx, Buffer.alloc(0));
  return false;
}
