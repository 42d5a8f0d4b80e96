// Tokens of the local platform's demo client, by the code flow as a browser and a client go through it.
import { createHash, randomBytes } from 'node:crypto';
import type { SignInPages } from '@tradewind/testkit';

const client = { client_id: 'demo-client', client_secret: 'demo-secret' };
/** Nobody listens there: the callback is read from the redirect. */
const redirectUri = 'http://localhost:4999/callback';

export interface Tokens {
  access_token: string;
  refresh_token: string;
}

/**
 * @param identityUrl where identity listens
 * @param resource that the access token is for; identity's user info unless given
 */
export async function signIn(identityUrl: string, pages: SignInPages, resource?: string): Promise<Tokens> {
  const issuer = new URL(identityUrl);
  issuer.hostname = 'localhost';
  const verifier = randomBytes(32).toString('base64url');
  const authorization = new URL('/oauth/auth', issuer);
  const ofResource: Record<string, string> = resource === undefined ? {} : { resource };
  authorization.search = new URLSearchParams({
    ...{ response_type: 'code', client_id: client.client_id, redirect_uri: redirectUri, state: 'e2e' },
    ...{ scope: 'openid email offline_access', ...ofResource },
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  }).toString();
  const callback = await pages.follow(authorization);
  return tokensFor(identityUrl, {
    ...{ grant_type: 'authorization_code', redirect_uri: redirectUri, code_verifier: verifier },
    ...{ code: callback.searchParams.get('code') ?? '', ...ofResource },
  });
}

/** Throws with the answer when there are no tokens in it. */
export async function tokensFor(identityUrl: string, fields: Record<string, string>): Promise<Tokens> {
  const { path, ...form } = tokenRequest(fields);
  const answer = await fetch(new URL(path, identityUrl), form);
  if (!answer.ok) throw new Error(`${fields['grant_type']} was answered ${answer.status}: ${await answer.text()}`);
  // The shape is that of OAuth.
  return (await answer.json()) as Tokens;
}

/** What the client sends to the token endpoint. */
export function tokenRequest(fields: Record<string, string>) {
  return {
    method: 'POST' as const,
    path: '/oauth/token',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ ...client, ...fields }).toString(),
  };
}
