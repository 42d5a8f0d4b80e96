// The account pages as a client of the provider, so that people sign in to them as to every other application. The
// pages only need the session. The code that comes with it is worthless, because nobody knows its verifier. Somebody
// who begins the login with a challenge of their own receives no token either.
import { randomBytes } from 'node:crypto';
import { errors, type ClientMetadata, type Grant, type KoaContextWithOIDC } from 'oidc-provider';
import { accountPath } from '../pages/account-path.js';

/** No registered client has such an id, and an operator may not take it. */
export const accountClientId = 'tradewind-account';

const signedInUri = (issuer: string): string => `${issuer}${accountPath}/signed-in`;

export function accountClient(issuer: string): ClientMetadata {
  return {
    client_id: accountClientId,
    client_name: 'Tradewind',
    redirect_uris: [signedInUri(issuer)],
    grant_types: ['authorization_code'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  };
}

/**
 * The authorization request that leads to the page.
 * @param asksAgain for a login, also of whoever is signed in
 */
export function accountAuthorization(issuer: string, page: string, asksAgain = false): Record<string, string> {
  return {
    ...(asksAgain ? { prompt: 'login' } : {}),
    client_id: accountClientId,
    redirect_uri: signedInUri(issuer),
    response_type: 'code',
    scope: 'openid',
    state: page,
    code_challenge: randomBytes(32).toString('base64url'),
    code_challenge_method: 'S256',
  };
}

/** No consent is asked for this client, so nobody may have a token of it. */
export function assertMayHaveTokens({ clientId }: { clientId?: string | undefined }): void {
  if (clientId === accountClientId) throw new errors.UnauthorizedClient('this client receives no tokens');
}

/** What the session has granted the client. The account pages ask for no consent: they are the user's own. */
export async function grantOfSession(ctx: KoaContextWithOIDC): Promise<Grant | undefined> {
  const { client, session, result, account, provider } = ctx.oidc;
  if (!client || !session) return undefined;
  const { clientId } = client;
  const consented = (result as { consent?: { grantId?: string } } | undefined)?.consent?.grantId;
  const grantId = consented ?? session.grantIdFor(clientId);
  const existing = grantId === undefined ? undefined : await provider.Grant.find(grantId);
  if (existing || clientId !== accountClientId || !account) return existing;
  const grant = new provider.Grant({ accountId: account.accountId, clientId });
  grant.addOIDCScope('openid');
  grant.addResourceScope(provider.issuer, 'openid');
  await grant.save();
  return grant;
}
