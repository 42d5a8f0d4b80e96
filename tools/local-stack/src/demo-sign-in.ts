// A user of the demo's own, signed in both ways: directly for an API key, and with the OAuth code flow through the
// pages.
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { createApiKey } from '@tradewind/data-client';
import { SignInPages } from '@tradewind/testkit';
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
    const callback = await new SignInPages(user).follow(authorization);
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
