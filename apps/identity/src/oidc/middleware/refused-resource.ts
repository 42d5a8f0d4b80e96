// The provider marks the code or refresh token as used, and creates the next refresh token, before it checks the
// requested resource. A client whose resource is refused received nothing: it may use the same token again.
import { currentUnitOfWork } from '../../unit-of-work/unit-of-work.js';
import type { Middleware } from './middleware.types.js';

export const keepRefusedGrant: Middleware = async (ctx, next) => {
  await next();
  if ((ctx.body as { error?: unknown } | undefined)?.error !== 'invalid_target') return;
  const unit = currentUnitOfWork();
  unit?.consumptions.clear();
  unit?.upserts.clear();
};
