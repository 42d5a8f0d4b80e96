// Introspection answers with exactly the members that DECISIONS ("Introspection") lists, for both kinds of token. The
// `jti` of a refresh token is the hash under which it is stored: its own value could be used.
import { currentUnitOfWork } from '../../unit-of-work/unit-of-work.js';
import { storedId } from '../payloads/payload-keys.js';
import { findAudience } from '../resources.js';
import type { Middleware, MiddlewareNeeds } from './middleware.types.js';

export function introspectionResponse({ config }: MiddlewareNeeds): Middleware {
  const { OAUTH_ISSUER: issuer, OAUTH_RESOURCES: resources } = config;
  return async (ctx, next) => {
    await next();
    if (ctx.oidc?.route !== 'introspection' || ctx.status !== 200) return;
    const { email, userRole: _userRole, sid: _sid, ...members } = ctx.body as Record<string, unknown>;
    const username = email ?? currentUnitOfWork()?.users.get(String(members['sub']))?.email;
    const refreshToken = members['active'] === true ? ctx.oidc.entities.RefreshToken : undefined;
    if (refreshToken) {
      const audiences = [refreshToken.resource ?? []].flat().map((one) => findAudience(one, issuer, resources) ?? one);
      members['token_type'] = refreshToken.isSenderConstrained() ? 'DPoP' : 'Bearer';
      members['aud'] = audiences.length > 1 ? audiences : (audiences[0] ?? issuer);
      members['jti'] = storedId('RefreshToken', refreshToken.jti);
    }
    ctx.body = username === undefined ? members : { ...members, username };
  };
}
