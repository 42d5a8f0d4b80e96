// One statement reads the session and the interaction that the cookies name, with their client, user and grant.
import { currentUnitOfWork, payloadKey } from '../../unit-of-work/unit-of-work.js';
import { remember } from '../payloads/payload-adapter.js';
import { isStorableText, storedId } from '../payloads/payload-keys.js';
import { routes } from '../routes.js';
import type { Middleware, MiddlewareNeeds } from './middleware.types.js';

export function readAuthorizationRows({ provider, payloads }: MiddlewareNeeds): Middleware {
  return async (ctx, next) => {
    const unit = currentUnitOfWork();
    if (!unit) return next();
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
    const found = await payloads.findForAuthorization(
      sessionId,
      interactionId,
      typeof clientId === 'string' && isStorableText(clientId) ? clientId : null,
    );
    if (sessionId !== null) unit.payloads.set(payloadKey('Session', sessionId), found.session);
    if (interactionId !== null) unit.payloads.set(payloadKey('Interaction', interactionId), found.interaction);
    if (found.session) remember(unit, found.session);
    if (found.interaction) remember(unit, found.interaction);
    await next();
  };
}
