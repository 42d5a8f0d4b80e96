// In three cases the provider answers with a form that posts itself: the client asked for response_mode=form_post,
// somebody else is signed in, or nobody is signed in who could sign out. Its page is almost empty without scripts; this
// puts the form on one of ours.
import type { KoaContextWithOIDC } from 'oidc-provider';
import { formActionSource, redirectUriKind } from '../clients/redirect-uri-policy.js';
import { forwardPage } from './pages.js';
import { messagesFor } from './page-messages.js';
import { contentSecurityPolicy } from './security-headers.js';

/**
 * @param own the origin of the issuer: a form that posts there ends a session, and then the browser goes to the source
 *   `afterwards`
 */
export function renderForward(ctx: KoaContextWithOIDC, own: { origin: string; afterwards: string | undefined }): void {
  const form = typeof ctx.body === 'string' ? readForm(ctx.body) : undefined;
  if (!form) return;
  const messages = messagesFor(ctx.oidc.params?.['ui_locales'], ctx.get('Accept-Language'));
  const { title, text, switchTitle, switchText } = messages.forward;
  const isOwn = new URL(form.action).origin === own.origin;
  const isSwitch = isOwn && ctx.oidc.route === 'resume';
  const source = isOwn ? own.afterwards : formActionSource(form.action);
  ctx.set('Content-Security-Policy', contentSecurityPolicy(source, 'forward'));
  ctx.set('Cache-Control', 'no-store');
  ctx.body = forwardPage(messages, {
    ...form,
    ...(isSwitch ? { title: switchTitle, text: switchText } : { title, text }),
  });
}

/**
 * Posts a long authorization request that another site posted again from here. The policy of the page names the
 * redirect URI; the provider checks it.
 */
export function renderRepost(ctx: KoaContextWithOIDC, action: string, fields: URLSearchParams): void {
  const messages = messagesFor(fields.get('ui_locales'), ctx.get('Accept-Language'));
  const { title, text } = messages.forward;
  const redirectUri = fields.get('redirect_uri') ?? '';
  const redirect = redirectUriKind(redirectUri) === undefined ? undefined : formActionSource(redirectUri);
  ctx.type = 'html';
  ctx.set('Content-Security-Policy', contentSecurityPolicy(redirect, 'forward'));
  ctx.body = forwardPage(messages, { title, text, action, fields: [...fields] });
}

function readForm(page: string): { action: string; fields: [string, string][] } | undefined {
  const action = /<title>Submitting Callback<\/title>[\s\S]*<form method="post" action="([^"]+)">/.exec(page)?.[1];
  if (action === undefined) return undefined;
  const inputs = page.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"\/>/g);
  return {
    action: unescaped(action),
    fields: [...inputs].map(([, name = '', value = '']) => [name, unescaped(value)]),
  };
}

const characters: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };

const unescaped = (text: string): string =>
  text.replace(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => characters[name] ?? '');
