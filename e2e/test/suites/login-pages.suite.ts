import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { launchBrowser } from '@tradewind/testkit';
import * as client from 'openid-client';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import type { PlatformProcess } from '../../src/platform-process.js';

const callbackUrl = 'http://localhost:4999/callback';
const pageTimeoutMs = 20_000;

export function describeLoginPages(platform: () => PlatformProcess): void {
  describe('login pages in a browser', () => {
    let browser: Browser;
    let server: client.Configuration;
    beforeAll(async () => {
      browser = await launchBrowser();
      server = await client.discovery(new URL(platform().issuer), 'demo-client', 'demo-secret', undefined, {
        execute: [client.allowInsecureRequests],
      });
    }, 60_000);
    afterAll(async () => browser?.close());

    /** A fresh browser profile at the login page, and what the client needs for the rest of the flow. */
    async function atLogin(
      scope: string,
    ): Promise<{ page: Page; context: BrowserContext; called: Promise<URL>; verifier: string; state: string }> {
      const context = await browser.newContext();
      const page = await context.newPage();
      page.setDefaultTimeout(pageTimeoutMs);
      // Nobody listens at the client's address; that the browser asks for it is enough. Redirects cannot be
      // intercepted.
      const called = new Promise<URL>((resolve) => {
        page.on('request', (request) => {
          if (request.url().startsWith(callbackUrl)) resolve(new URL(request.url()));
        });
      });
      const verifier = client.randomPKCECodeVerifier();
      const state = randomBytes(8).toString('hex');
      const url = client.buildAuthorizationUrl(server, {
        redirect_uri: callbackUrl,
        scope,
        state,
        code_challenge: await client.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
      });
      await page.goto(url.href);
      return { page, context, called, verifier, state };
    }

    async function signIn(page: Page, password: string): Promise<void> {
      await page.locator('input[name=email]').fill('demo@example.com');
      await page.locator('input[name=password]').fill(password);
      await Promise.all([
        page.waitForLoadState('load'),
        page.locator('form[action$="/submit"] button[type=submit]').click(),
      ]);
    }

    it('a wrong password shows the form again; the right one leads through consent to tokens', async () => {
      const { page, context, called, verifier, state } = await atLogin('openid profile email offline_access');
      expect(new URL(page.url()).pathname).toMatch(/^\/login\/[^/]+$/);

      const refused = page.waitForResponse((response) => response.request().method() === 'POST');
      await signIn(page, 'not the password');
      expect((await refused).status()).toBe(401);
      expect(await page.locator('input[name=email]').inputValue()).toBe('demo@example.com');
      expect(await page.locator('input[name=password]').inputValue()).toBe('');

      await signIn(page, 'demo-password-1');
      await page.locator('form[action$="/confirm"]').waitFor();
      const text = await page.locator('main').innerText();
      expect(text).toContain('demo@example.com');
      await page.locator('form[action$="/confirm"] button[type=submit]').click();

      const tokens = await client.authorizationCodeGrant(server, await called, {
        pkceCodeVerifier: verifier,
        expectedState: state,
      });
      expect(tokens).toMatchObject({ token_type: 'bearer', expires_in: 900 });
      expect(tokens.refresh_token).toBeDefined();
      const info = await client.fetchUserInfo(server, tokens.access_token, tokens.claims()?.sub ?? '');
      // Every claim that the scopes release, so that a person who tries the platform sees them all.
      expect(info).toEqual({
        sub: tokens.claims()?.sub,
        name: 'Demo User',
        given_name: 'Demo',
        family_name: 'User',
        preferred_username: 'demo@example.com',
        userRole: 'USER',
        email: 'demo@example.com',
        email_verified: true,
      });
      const renewed = await client.refreshTokenGrant(server, tokens.refresh_token ?? '');
      expect(renewed.access_token).not.toBe(tokens.access_token);
      await context.close();
    });

    it('cancelling at the login page sends the client access_denied, with its state', async () => {
      const { page, context, called, state } = await atLogin('openid');
      await page.locator('form[action$="/abort"] button').click();
      const callback = await called;
      expect(callback.searchParams.get('error')).toBe('access_denied');
      expect(callback.searchParams.get('state')).toBe(state);
      await context.close();
    });

    it('cancelling at the consent page sends access_denied, too, and gives no code', async () => {
      // Scopes differ from those consented to above, so that consent is asked again.
      const { page, context, called } = await atLogin('openid offline_access');
      await signIn(page, 'demo-password-1');
      await page.locator('form[action$="/abort"] button').click();
      const callback = await called;
      expect(callback.searchParams.get('error')).toBe('access_denied');
      expect(callback.searchParams.has('code')).toBe(false);
      await context.close();
    });

    it('a form without its CSRF token is refused', async () => {
      const { page, context } = await atLogin('openid');
      await page.evaluate(`document.querySelector('form[action$="/submit"] input[name=_csrf]').value = 'forged'`);
      const refused = page.waitForResponse((response) => response.request().method() === 'POST');
      await signIn(page, 'demo-password-1');
      expect((await refused).status()).toBe(403);
      await context.close();
    });

    it('works without JavaScript, sets no readable cookie, and logs no error', async () => {
      const context = await browser.newContext({ javaScriptEnabled: false });
      const page = await context.newPage();
      const complaints: string[] = [];
      page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
      const url = client.buildAuthorizationUrl(server, {
        redirect_uri: callbackUrl,
        scope: 'openid',
        code_challenge: await client.calculatePKCECodeChallenge(client.randomPKCECodeVerifier()),
        code_challenge_method: 'S256',
      });
      await page.goto(url.href);
      await signIn(page, 'demo-password-1');
      await page.locator('form[action$="/confirm"], form[action$="/abort"]').first().waitFor();
      for (const cookie of await context.cookies()) expect(cookie).toMatchObject({ httpOnly: true });
      expect(complaints).toEqual([]);
      await context.close();
    });
  });
}
