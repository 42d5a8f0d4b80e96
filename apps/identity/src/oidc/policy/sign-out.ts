// RP-Initiated Logout 1.0: the question and the page after it. The provider checks the request, ends the session, ends
// the grants of clients without offline_access, and makes the logout tokens of the other clients.
import type { KoaContextWithOIDC } from 'oidc-provider';
import { formActionSource } from '../../clients/redirect-uri-policy.js';
import { messagesFor } from '../../pages/page-messages.js';
import { contentSecurityPolicy } from '../../pages/security-headers.js';
import { shownName } from '../../pages/shown-name.js';
import { signedOutPage, signOutPage } from '../../pages/sign-out-pages.js';
import type { User } from '../../users/users.types.js';

/** What the provider keeps in the session until the question is answered. */
interface LogoutState {
  secret: string;
  postLogoutRedirectUri?: string | undefined;
}

function logoutStateOf({ oidc }: KoaContextWithOIDC): LogoutState | undefined {
  return oidc.session?.state as LogoutState | undefined;
}

/** Where the browser goes after the form of the sign-out is posted, for the `form-action` of its page. */
export function afterLogoutSource(ctx: KoaContextWithOIDC): string | undefined {
  const uri = logoutStateOf(ctx)?.postLogoutRedirectUri;
  return uri === undefined ? undefined : formActionSource(uri);
}

/** The question. A link on another page must not sign anybody out, so it is always asked. */
export async function renderSignOut(
  ctx: KoaContextWithOIDC,
  findUser: (id: string) => Promise<User | undefined>,
): Promise<void> {
  const { oidc } = ctx;
  const accountId = oidc.session?.accountId;
  const user = accountId === undefined ? undefined : await findUser(accountId);
  respond(ctx, afterLogoutSource(ctx));
  ctx.body = signOutPage(messagesOf(ctx), {
    action: oidc.urlFor('end_session_confirm'),
    xsrf: logoutStateOf(ctx)?.secret ?? '',
    email: user?.email,
    clientName: clientNameOf(ctx),
  });
}

export async function renderSignedOut(ctx: KoaContextWithOIDC): Promise<void> {
  const { accountId } = await ctx.oidc.provider.Session.get(ctx);
  respond(ctx);
  ctx.body = signedOutPage(messagesOf(ctx), { isSignedIn: accountId !== undefined, clientName: clientNameOf(ctx) });
}

function respond(ctx: KoaContextWithOIDC, redirectSource?: string): void {
  ctx.type = 'html';
  ctx.set('Content-Security-Policy', contentSecurityPolicy(redirectSource));
  ctx.set('Cache-Control', 'no-store');
}

const messagesOf = (ctx: KoaContextWithOIDC) =>
  messagesFor(ctx.oidc.params?.['ui_locales'] ?? ctx.query['ui_locales'], ctx.get('Accept-Language'));

function clientNameOf({ oidc: { client } }: KoaContextWithOIDC): string | undefined {
  return client && shownName(client.clientName ?? client.clientId);
}
