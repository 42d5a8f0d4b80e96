import type { Context } from './middleware.types.js';

/** Removes what the provider has answered so far. */
export function resetResponse(ctx: Context): void {
  for (const name of ['Set-Cookie', 'Location', 'Content-Type', 'Content-Length']) ctx.remove(name);
  ctx.body = undefined;
}
