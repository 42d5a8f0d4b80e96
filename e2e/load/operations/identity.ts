// Password logins, refreshes of sessions and user info. The provider offers no client credentials.
import { SignInPages } from '@tradewind/testkit';
import { signIn, tokenRequest, type Tokens, tokensFor } from '../../src/code-flow.js';
import type { Target } from '../../src/target.types.js';
import { jsonRequest } from './json-request.js';
import type { LoadOperation, LoadRequest } from './operation.types.js';

const account = { email: 'demo@example.com', password: 'demo-password-1' };
/** Within the lifetime of an access token, 15 minutes. */
const tokenUseMs = 10 * 60_000;
/** A session has one request under way at a time, so this is also how many refreshes can be under way. */
const sessionCount = 1_500;

export const login: LoadOperation = {
  name: 'login with a password',
  service: 'identity',
  p99MsMax: 500,
  p99MsMaxBeyond: 4_000,
  ratePerSecondMin: 8,
  soakPerSecond: 1,
  prepare: async () => ({ request: () => jsonRequest('/auth/login', account) }),
};

export const refresh: LoadOperation = {
  name: 'refresh of a token',
  service: 'identity',
  p99MsMax: 200,
  ratePerSecondMin: 50,
  soakPerSecond: 10,
  async prepare(target) {
    const idle = await sessions(target, sessionCount);
    const underWay = new Map<LoadRequest, string>();
    return {
      request() {
        const token = idle.pop();
        if (token === undefined) return undefined;
        const request = tokenRequest({ grant_type: 'refresh_token', refresh_token: token });
        underWay.set(request, token);
        return request;
      },
      answered(request, { status, body }) {
        const token = underWay.get(request);
        underWay.delete(request);
        // After a refusal the token is still good.
        if (status === 200) idle.unshift((JSON.parse(body) as Tokens).refresh_token);
        else if (status >= 429 && token !== undefined) idle.unshift(token);
      },
    };
  },
};

export const userInfo: LoadOperation = {
  name: 'user info',
  service: 'identity',
  p99MsMax: 100,
  ratePerSecondMin: 200,
  soakPerSecond: 30,
  async prepare(target) {
    let tokens = await signIn(target.urls.identity!, new SignInPages(account));
    const requestWith = (token: string): LoadRequest => ({
      method: 'GET',
      path: '/oauth/me',
      headers: { authorization: `Bearer ${token}` },
    });
    let request = requestWith(tokens.access_token);
    let refreshAtMs = Date.now() + tokenUseMs;
    // A soak lasts longer than an access token.
    const renew = async () => {
      tokens = await tokensFor(target.urls.identity!, {
        grant_type: 'refresh_token',
        refresh_token: tokens.refresh_token,
      });
      request = requestWith(tokens.access_token);
    };
    return {
      request() {
        if (Date.now() > refreshAtMs) {
          refreshAtMs = Date.now() + tokenUseMs;
          // Without a new token the answers are 401, which are findings.
          renew().catch((error: unknown) => console.error(error));
        }
        return request;
      },
    };
  },
};

/** Refresh tokens of sessions of one signed-in browser. */
async function sessions(target: Target, count: number): Promise<string[]> {
  const pages = new SignInPages(account);
  const tokens: string[] = [];
  while (tokens.length < count) tokens.push((await signIn(target.urls.identity!, pages)).refresh_token);
  return tokens;
}
