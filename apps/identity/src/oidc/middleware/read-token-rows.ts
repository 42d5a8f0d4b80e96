// One statement reads the code or refresh token of a token request, with its grant, client, user and session.
import { isForm } from './conditions.js';
import type { Middleware, MiddlewareNeeds } from './middleware.types.js';
import { bodyOf } from './request-body.js';

export function readTokenRows({ rowsOf }: MiddlewareNeeds): Middleware {
  return async (ctx, next) => {
    if (isForm(ctx)) {
      const form = new URLSearchParams(bodyOf(ctx).toString('latin1'));
      const isRefresh = form.get('grant_type') === 'refresh_token';
      const handle = form.get(isRefresh ? 'refresh_token' : 'code');
      if (handle) await rowsOf(isRefresh ? 'RefreshToken' : 'AuthorizationCode').prefetch(handle);
    }
    await next();
  };
}
