// Errors of the provider, as a page or as JSON, whichever the request prefers.
import type { ErrorOut, KoaContextWithOIDC } from 'oidc-provider';
import { errorPage, onwardFrom } from './pages.js';
import { messagesFor, type PageMessages } from './page-messages.js';
import { contentSecurityPolicy } from './security-headers.js';

export function errorPageOrJson(ctx: KoaContextWithOIDC, out: ErrorOut): void {
  // Programs accept `*/*` or `application/json`; browsers name HTML.
  if (ctx.accepts('json', 'html') !== 'html') {
    ctx.body = out;
    return;
  }
  const messages = messagesFor(ctx.query['ui_locales'], ctx.get('Accept-Language'));
  ctx.type = 'html';
  ctx.set('Content-Security-Policy', contentSecurityPolicy());
  ctx.set('Cache-Control', 'no-store');
  const technical = { error: out.error, description: out.error_description };
  ctx.body = errorPage(messages, { ...words(messages, ctx.status, out), technical, onward: onwardFrom(messages) });
}

function words(messages: PageMessages, status: number, out: ErrorOut): { title: string; text: string } {
  const { errors } = messages;
  if (status === 503) return errors.unavailable;
  if (status >= 500) return errors.failed;
  // The library's messages for an answered sign-out, and for a request whose interaction or session no longer exists.
  if (/logout details|xsrf token/.test(out.error_description ?? '')) return errors.signOutExpired;
  return /expired|session|answered already/.test(out.error_description ?? '') ? errors.expired : errors.request;
}
