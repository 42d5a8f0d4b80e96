// A user of the demo's own, signed in both ways: directly for an API key, and with the OAuth code flow through the pages.
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { createApiKey } from '@tradewind/data-client';
import * as client from 'openid-client';
import { demoClient } from './demo-accounts.js';
import { callJson } from './demo-http.js';
import type { DemoPage } from './demo-page.js';
import { timed } from './demo-page.js';
import type { DemoPlatform } from './demo-platform.js';
import { localSecrets } from './local-secrets.js';
import { runNode } from './run-node.js';
import { serviceEnvironment } from './services.js';

export interface DemoUser {
  id: string;
  email: string;
  password: string;
}

/**
 * Each demo makes a user: ten data calls a day belong to a user, and a second demo of the day needs its own.
 * Made by identity's operator command, as an operator would.
 */
export async function createDemoUser(platform: DemoPlatform): Promise<DemoUser> {
  const stamp = new Date().toISOString().replace(/[-:]/g, '').replace('T', '-').slice(0, 15);
  const email = `demo-${stamp}-${randomBytes(2).toString('hex')}@example.com`;
  const password = randomBytes(18).toString('base64url');
  const { settings, databaseUrl } = platform;
  const env = serviceEnvironment('identity', { settings, databaseUrl, secrets: localSecrets(settings.dataDir) });
  const words = ['user', 'create', '--email', email, '--password-stdin', '--name', 'Demo Visitor', '--email-verified'];
  await runNode([join(settings.rootDir, 'apps/identity/dist/main.js'), ...words], env, { input: password });
  const login = `${platform.address('identity')}/auth/login`;
  const { user } = await callJson<{ user: { id: string } }>(login, { email, password });
  return { id: user.id, email, password };
}

export async function makeApiKey(platform: DemoPlatform, user: DemoUser, page: DemoPage): Promise<string> {
  const url = platform.address('graphql-gateway');
  const { email, password } = user;
  const { result: key, seconds } = await timed(() =>
    createApiKey({ url, email, password, name: 'demo', expiresInDays: 1 }),
  );
  page.check('signed in, and made an API key', /^svc_[0-9A-Za-z]{49}$/.test(key), `${key.slice(0, 8)}…`);
  page.figure('Identity', 'sign-in and API key', 1, seconds);
  return key;
}

/** The authorization code flow with PKCE, on the pages that a browser would show, by the official client library. */
export async function signInWithOAuth(platform: DemoPlatform, user: DemoUser, page: DemoPage): Promise<void> {
  const { result, seconds } = await timed(async () => {
    const { issuer } = await callJson<{ issuer: string }>(
      `${platform.address('identity')}/.well-known/openid-configuration`,
    );
    const server = await client.discovery(new URL(issuer), demoClient.id, demoClient.secret, undefined, {
      execute: [client.allowInsecureRequests],
    });
    const verifier = client.randomPKCECodeVerifier();
    const state = client.randomState();
    const authorization = client.buildAuthorizationUrl(server, {
      redirect_uri: demoClient.redirectUri,
      scope: 'openid profile email offline_access',
      code_challenge: await client.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      state,
    });
    const callback = await walkThroughPages(authorization, user);
    const tokens = await client.authorizationCodeGrant(server, callback, {
      pkceCodeVerifier: verifier,
      expectedState: state,
    });
    const subject = tokens.claims()?.sub ?? '';
    const info = await client.fetchUserInfo(server, tokens.access_token, subject);
    const renewed =
      tokens.refresh_token === undefined ? undefined : await client.refreshTokenGrant(server, tokens.refresh_token);
    return {
      subject,
      info,
      isRenewed: renewed?.access_token !== undefined && renewed.access_token !== tokens.access_token,
    };
  });
  page.check(
    'signed in with OAuth: login page, consent, code, tokens',
    result.subject === user.id && result.info.email === user.email,
    user.email,
  );
  page.check('refreshed the access token', result.isRenewed);
  page.figure('Identity', 'OAuth code flow and refresh', 1, seconds);
}

/** Fills in login and consent like a person with a browser; resolves with the address that the client is called back at. */
async function walkThroughPages(start: URL, user: DemoUser): Promise<URL> {
  const cookies = new Map<string, string>();
  let url = start;
  let form: URLSearchParams | undefined;
  for (let step = 0; step < 12; step += 1) {
    const response = await fetch(url, {
      method: form ? 'POST' : 'GET',
      redirect: 'manual',
      headers: {
        cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
        ...(form ? { origin: url.origin } : {}),
      },
      ...(form ? { body: form } : {}),
      signal: AbortSignal.timeout(10_000),
    });
    keepCookies(cookies, response.headers.getSetCookie());
    const location = response.headers.get('location');
    if (location !== null) {
      url = new URL(location, url);
      form = undefined;
      if (url.href.startsWith(demoClient.redirectUri)) return url;
      continue;
    }
    const html = await response.text();
    if (!response.ok) throw new Error(`${url.href} answered ${response.status} in the middle of the sign-in`);
    const next = fillForm(html, user);
    url = new URL(next.action, url);
    form = next.fields;
  }
  throw new Error('the sign-in pages lead in a circle');
}

function fillForm(html: string, user: DemoUser): { action: string; fields: URLSearchParams } {
  const action = /action="([^"]*\/(?:submit|confirm))"/.exec(html)?.[1];
  const csrf = /name="_csrf"\s+value="([^"]+)"/.exec(html)?.[1];
  if (action === undefined || csrf === undefined) throw new Error('the sign-in page shows neither login nor consent');
  const fields = new URLSearchParams({ _csrf: csrf });
  if (action.endsWith('/submit')) {
    fields.set('email', user.email);
    fields.set('password', user.password);
  }
  return { action, fields };
}

function keepCookies(cookies: Map<string, string>, headers: readonly string[]): void {
  for (const header of headers) {
    const [pair = '', ...attributes] = header.split(';');
    const at = pair.indexOf('=');
    const name = pair.slice(0, at).trim();
    const isExpired = attributes.some(
      (attribute) => /^\s*expires=Thu, 01 Jan 1970/i.test(attribute) || /^\s*max-age=0/i.test(attribute),
    );
    if (isExpired) cookies.delete(name);
    else cookies.set(name, pair.slice(at + 1));
  }
}
