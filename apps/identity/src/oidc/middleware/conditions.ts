// Which requests a middleware concerns.
import { routes } from '../routes.js';
import type { Context, Middleware } from './middleware.types.js';

type Condition = (ctx: Context) => boolean;

/** A request that the condition excludes costs no promise of its own. */
export const when =
  (isConcerned: Condition, middleware: Middleware): Middleware =>
  (ctx, next) =>
    isConcerned(ctx) ? middleware(ctx, next) : next();

const isAt =
  (route: string): Condition =>
  ({ path }) =>
    path === route;
const isAtOrBelow =
  (route: string): Condition =>
  ({ path }) =>
    path === route || path.startsWith(`${route}/`);

export const hasBody: Condition = ({ method }) => method === 'POST' || method === 'PUT';
export const isAuthorization = isAtOrBelow(routes.authorization);
export const isPostedAuthorization: Condition = (ctx) => hasBody(ctx) && isAuthorization(ctx);
export const isPushedAuthorization = isAt(routes.pushed_authorization_request);
export const isToken = isAt(routes.token);
export const isUserinfo = isAt(routes.userinfo);
export const isIntrospection = isAt(routes.introspection);
export const isRevocation = isAt(routes.revocation);
export const takesToken: Condition = (ctx) => isIntrospection(ctx) || isRevocation(ctx);
export const isRegistration = isAtOrBelow(routes.registration);
export const isMetadata: Condition = ({ path }) => path.startsWith('/.well-known/');
export const isPublicDocument: Condition = (ctx) => isMetadata(ctx) || ctx.path === routes.jwks;

export const isForm: Condition = (ctx) =>
  (ctx.get('content-type').split(';', 1)[0] ?? '').trim().toLowerCase() === 'application/x-www-form-urlencoded';
