// Which requests a middleware concerns.
import { routes } from '../policy/routes.js';
import type { Context, Middleware } from './middleware.types.js';

type Condition = (ctx: Context) => boolean;

/** A request that the condition excludes costs no promise of its own. */
export const when =
  (isConcerned: Condition, middleware: Middleware): Middleware =>
  (ctx, next) =>
    isConcerned(ctx) ? middleware(ctx, next) : next();

export const isAt =
  (...paths: string[]): Condition =>
  ({ path }) =>
    paths.includes(path);
const isAtOrBelow =
  (route: string): Condition =>
  ({ path }) =>
    path === route || path.startsWith(`${route}/`);

export const isAuthorization = isAtOrBelow(routes.authorization);
export const isRegistration = isAtOrBelow(routes.registration);
export const isEndSession = isAtOrBelow(routes.end_session);
export const isToken = isAt(routes.token);
export const isMetadata: Condition = ({ path }) => path.startsWith('/.well-known/');
export const hasBody: Condition = ({ method }) => method === 'POST' || method === 'PUT';

export const isForm: Condition = (ctx) =>
  (ctx.get('content-type').split(';', 1)[0] ?? '').trim().toLowerCase() === 'application/x-www-form-urlencoded';
