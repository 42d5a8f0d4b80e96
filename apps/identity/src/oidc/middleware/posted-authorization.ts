// POST at the authorization endpoint (OpenID Connect Core 3.1.2.1): the form is treated as the query of a GET. The
// provider's own support needs SameSite=None cookies, which any site could make a browser send. Ours are Lax, and a
// browser omits them from a form that another site posts. Such a request is sent on from here, which includes them.
import { errors } from 'oidc-provider';
import { renderRepost } from '../../pages/forward-pages.js';
import { routes } from '../routes.js';
import type { Context, Middleware, MiddlewareNeeds } from './middleware.types.js';
import { bodyOf, setBody } from './request-body.js';

/** Characters; some proxies cut or refuse longer addresses. */
const queryLengthMax = 6000;

export function acceptPostedAuthorization({ config, errorPages }: MiddlewareNeeds): Middleware {
  const target = config.OAUTH_ISSUER + routes.authorization;
  return async (ctx, next) => {
    const body = bodyOf(ctx);
    if (body.length > 0 && !ctx.is('application/x-www-form-urlencoded')) {
      const { error, error_description } = new errors.InvalidRequest(
        'only application/x-www-form-urlencoded content-type bodies are supported here',
      );
      ctx.status = 400;
      return errorPages.renderOrJson(ctx, { error, error_description });
    }
    // Parsed and serialized again, only what a query may hold is left.
    const query = new URLSearchParams(body.toString()).toString();
    if (ctx.get('Sec-Fetch-Site') === 'cross-site') return sendOn(ctx, target, query);
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
