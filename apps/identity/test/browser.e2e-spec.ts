/// <reference lib="dom" />
// The pages in Chromium: what only a browser does, such as redirects under the CSP, focus and layout.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { launchBrowser } from '@tradewind/testkit';
import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core';
import { Clients } from '../src/operators/clients.service.js';
import { checkLayout } from './page-checks.js';
import { password, startIdentity, type Identity } from './identity.fixture.js';
import { authorizationUrl, exchangeCode, makePkce, obtainTokens, userinfo, type FlowClient } from './user-agent.js';

describe('in Chromium', () => {
  let identity: Identity;
  let browser: Browser;
  let application: Server;
  let client: FlowClient;
  let email: string;
  let signedOutUri: string;

  beforeAll(async () => {
    application = createServer((_request, response) => response.end('<title>client</title>back at the client'));
    await new Promise<void>((resolve) => application.listen(0, '127.0.0.1', resolve));
    // The address of a server that listens on a port.
    const { port } = application.address() as AddressInfo;
    identity = await startIdentity();
    const redirectUri = `http://127.0.0.1:${port}/callback`;
    signedOutUri = `http://127.0.0.1:${port}/signed-out`;
    const uris = { redirectUris: [redirectUri], postLogoutRedirectUris: [signedOutUri] };
    client = { ...(await identity.createClient({ ...uris, name: 'Harbour' })), redirectUri };
    email = (await identity.createUser()).email;
    browser = await launchBrowser();
  }, 60_000);
  afterAll(async () => {
    await browser.close();
    application.close();
    await identity.close();
  });

  async function open<T>(
    options: BrowserContextOptions,
    visit: (page: Page, faults: string[]) => Promise<T>,
  ): Promise<T> {
    const context = await browser.newContext({ locale: 'en-GB', ...options });
    const page = await context.newPage();
    const faults: string[] = [];
    page.on('console', (message) => {
      if (/Content Security Policy|Refused/i.test(message.text())) faults.push(message.text());
    });
    page.on('pageerror', (error) => faults.push(error.message));
    try {
      return await visit(page, faults);
    } finally {
      await context.close();
    }
  }
  const start = (scope: string, pkce = makePkce()) => authorizationUrl(identity.issuer, { client, scope }, pkce);
  async function signIn(page: Page, secret: string): Promise<void> {
    await page.getByLabel('Email address').fill(email);
    await page.getByLabel('Password').fill(secret);
    await page.getByRole('button', { name: 'Sign in' }).click();
  }

  it('wrong password, login and consent by keyboard, without JavaScript, to tokens', async () => {
    await open({ javaScriptEnabled: false, viewport: { width: 360, height: 740 } }, async (page, faults) => {
      const pkce = makePkce();
      await page.goto(start('openid profile offline_access', pkce));
      // The browser moves the focus in a later frame, some time after the page has loaded.
      await page.locator('#email:focus').waitFor();
      await page.keyboard.type(email);
      await page.keyboard.press('Tab');
      await page.keyboard.type('wrong password');
      await page.keyboard.press('Enter');
      await page.locator('[role=alert]:focus').waitFor();
      expect(await page.title()).toContain('Error: Sign in');
      expect(await page.getByRole('alert').textContent()).toContain('There is a problem');
      await page.getByLabel('Password').fill(password);
      await page.getByLabel('Password').press('Enter');
      await page.getByRole('heading', { name: 'Allow Harbour to use your account?' }).waitFor();
      expect(await page.getByRole('listitem').count()).toBe(3);
      await page.getByRole('button', { name: 'Allow' }).press('Enter');
      await page.waitForURL(/callback/);
      expect(await page.textContent('body')).toBe('back at the client');
      const code = new URL(page.url()).searchParams.get('code') as string;
      const { body } = await exchangeCode(identity.issuer, client, code, pkce);
      expect((await userinfo(identity.issuer, body.access_token)).status).toBe(200);
      expect(faults).toEqual([]);
    });
  }, 60_000);

  it('cancelling at login and at consent leads back to the client', async () => {
    for (const step of ['login', 'consent']) {
      await open({}, async (page, faults) => {
        await page.goto(start('openid'));
        if (step === 'consent') await signIn(page, password);
        if (step === 'consent') await page.getByRole('button', { name: 'Allow' }).waitFor();
        await page.getByRole('button', { name: 'Cancel' }).click();
        await page.waitForURL(/error=access_denied/);
        expect(new URL(page.url()).searchParams.get('state')).toBe('state-1');
        expect(faults).toEqual([]);
      });
    }
  }, 60_000);

  it.each([
    ['with scripts', true],
    ['without scripts', false],
  ])(
    'response_mode=form_post and a change of account, %s',
    async (_, javaScriptEnabled) => {
      const { email: otherEmail } = await identity.createUser();
      await open({ javaScriptEnabled, viewport: { width: 360, height: 740 } }, async (page, faults) => {
        const press = async () => {
          if (!javaScriptEnabled) await page.getByRole('button', { name: 'Continue' }).click();
        };
        const url = (parameters: Record<string, string>) =>
          authorizationUrl(identity.issuer, { client, scope: 'openid', parameters }, makePkce());
        await page.goto(url({ response_mode: 'form_post' }));
        await signIn(page, password);
        await page.getByRole('button', { name: 'Allow' }).click();
        await press();
        await page.waitForURL(/callback$/);
        expect(await page.textContent('body')).toBe('back at the client');

        await page.goto(url({ prompt: 'login' }));
        await page.getByLabel('Email address').fill(otherEmail);
        await page.getByLabel('Password').fill(password);
        await page.getByRole('button', { name: 'Sign in' }).click();
        if (!javaScriptEnabled) {
          await page.getByRole('heading', { name: 'Signing in as somebody else' }).waitFor();
          await checkLayout(page, 360);
        }
        await press();
        await page.getByRole('button', { name: 'Allow' }).waitFor();
        expect(await page.textContent('main')).toContain(otherEmail);
        expect(faults).toEqual([]);
      });
    },
    60_000,
  );

  it('a sign-out that a client asks for leads back to the client, with and without scripts', async () => {
    for (const javaScriptEnabled of [true, false]) {
      await open({ javaScriptEnabled }, async (page, faults) => {
        const pkce = makePkce();
        await page.goto(start('openid', pkce));
        await signIn(page, password);
        await page.getByRole('button', { name: 'Allow' }).click();
        await page.waitForURL(/callback/);
        const code = new URL(page.url()).searchParams.get('code') as string;
        const { body } = await exchangeCode(identity.issuer, client, code, pkce);
        const query = new URLSearchParams({ id_token_hint: body.id_token, post_logout_redirect_uri: signedOutUri });
        const end = `${identity.issuer}/oauth/session/end?${query.toString()}`;
        await page.goto(end);
        await page.getByRole('button', { name: 'Sign out', exact: true }).click();
        await page.waitForURL(/signed-out/);
        // Nobody is signed in now: no question.
        await page.goto(end);
        if (!javaScriptEnabled) await page.getByRole('button', { name: 'Continue' }).click();
        await page.waitForURL(/signed-out/);
        expect(faults).toEqual([]);
      });
    }
  }, 60_000);

  it.each([
    ['light', 1280, 'Harbour'],
    ['light', 360, 'W'.repeat(100)],
    ['dark', 360, 'A name that wants to push the rest of the page off the screen '.repeat(2).slice(0, 100)],
  ] as const)(
    'consent for a resource: %s, %i px, "%s"',
    async (colorScheme, width, clientName) => {
      const resource = 'urn:tradewind:pipelines';
      const registered = await fetch(`${identity.issuer}/oauth/reg`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          client_name: clientName,
          redirect_uris: [client.redirectUri],
          grant_types: ['authorization_code', 'refresh_token'],
          policy_uri: 'https://app.example.com/privacy',
        }),
      });
      const { client_id: clientId } = (await registered.json()) as { client_id: string };
      await identity.running.app.get(Clients, { strict: false }).allowResource(clientId, resource);
      const height = width === 1280 ? 800 : 740;
      await open({ colorScheme, viewport: { width, height } }, async (page) => {
        const options = { client: { ...client, clientId }, scope: 'openid profile email offline_access' };
        await page.goto(authorizationUrl(identity.issuer, { ...options, parameters: { resource } }, makePkce()));
        await signIn(page, password);
        const allow = page.getByRole('button', { name: 'Allow' });
        await allow.waitFor();
        await checkLayout(page, width);
        const bottom = async (locator: Locator) => {
          const box = await locator.boundingBox();
          return box === null ? Infinity : box.y + box.height;
        };
        // Visible without scrolling: the warning about the application and where its answer goes; with a short name the
        // button, too.
        expect(await bottom(page.getByText('Not verified'))).toBeLessThan(height);
        expect(await bottom(page.getByText(new URL(client.redirectUri ?? '').host))).toBeLessThan(height);
        if (width === 1280) expect(await bottom(allow)).toBeLessThan(height + 60);
        expect(await page.getByRole('link', { name: 'Privacy policy' }).getAttribute('rel')).toContain('noopener');
      });
    },
    60_000,
  );

  it('an account, from the sign-in to the sign-out, by its pages, without scripts', async () => {
    const { email: own } = await identity.createUser();
    await open({ javaScriptEnabled: false, viewport: { width: 360, height: 740 } }, async (page, faults) => {
      await page.goto(`${identity.issuer}/account/password`);
      await page.getByLabel('Email address').fill(own);
      await page.getByLabel('Password').fill(password);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('heading', { name: 'Change password' }).waitFor();
      expect(await page.getByRole('button', { name: 'Show' }).count()).toBe(0);
      await page.getByLabel('Present password').fill('wrong password');
      await page.getByLabel('New password', { exact: true }).fill('a new long password');
      await page.getByLabel('New password again').fill('a new long password');
      await page.getByRole('button', { name: 'Change password' }).click();
      await page.locator('[role=alert]:focus').waitFor();
      await page.getByRole('alert').getByRole('link').click();
      expect(new URL(page.url()).hash).toBe('#password');
      await page.getByLabel('Present password').fill(password);
      await page.getByLabel('New password', { exact: true }).fill('a new long password');
      await page.getByLabel('New password again').fill('a new long password');
      await page.keyboard.press('Enter');
      await page.getByRole('status').waitFor();
      expect(await page.getByRole('status').textContent()).toContain('Your password is changed.');
      await page.getByRole('button', { name: 'Sign out' }).click();
      await page.getByRole('heading', { name: 'You are signed out' }).waitFor();
      await page.getByRole('link', { name: 'Sign in to your account' }).click();
      await page.getByLabel('Email address').fill(own);
      await page.getByLabel('Password').fill('a new long password');
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('heading', { name: 'Your account' }).waitFor();
      expect(faults).toEqual([]);
    });
  }, 60_000);

  it('a session elsewhere is ended, an application is revoked, and everything is signed out', async () => {
    const { email: own } = await identity.createUser();
    const signInAs = async (page: Page, address: string) => {
      await page.goto(address);
      await page.getByLabel('Email address').fill(own);
      await page.getByLabel('Password').fill(password);
      await page.getByRole('button', { name: 'Sign in' }).click();
    };
    await open({}, async (elsewhere) => {
      await signInAs(elsewhere, start('openid profile offline_access'));
      await elsewhere.getByRole('button', { name: 'Allow' }).click();
      await elsewhere.waitForURL(/callback/);
      await open({}, async (page, faults) => {
        await signInAs(page, `${identity.issuer}/account`);
        await page.getByRole('link', { name: 'Sessions and devices' }).click();
        expect(await page.getByRole('listitem').count()).toBe(2);
        await page.getByRole('button', { name: 'End session: Chrome, Linux' }).click();
        await page.getByText('The session has ended.').waitFor();
        await elsewhere.goto(`${identity.issuer}/account`);
        await elsewhere.getByLabel('Email address').waitFor();
        await page.getByRole('link', { name: 'Your account' }).click();
        await page.getByRole('link', { name: 'Connected applications' }).click();
        expect(await page.textContent('main')).toContain('See your profile');
        await page.getByRole('button', { name: 'Revoke access: Harbour' }).click();
        await page.getByText('No application has access.').waitFor();
        await page.goto(`${identity.issuer}/account/sessions`);
        await page.getByRole('button', { name: 'Sign out everywhere' }).click();
        await page.getByRole('heading', { name: 'You are signed out' }).waitFor();
        expect(faults).toEqual([]);
      });
    });
  }, 60_000);

  it('a password is shown on demand, and hidden before it is sent', async () => {
    await open({}, async (page, faults) => {
      await page.goto(start('openid'));
      const field = page.getByLabel('Password');
      await field.fill('typed');
      await page.getByRole('button', { name: 'Show' }).click();
      expect(await field.getAttribute('type')).toBe('text');
      await page.getByRole('button', { name: 'Hide' }).click();
      expect(await field.getAttribute('type')).toBe('password');
      await page.getByRole('button', { name: 'Show' }).click();
      await page.evaluate(() => document.forms[0]!.addEventListener('submit', (event) => event.preventDefault()));
      await page.getByLabel('Email address').fill(email);
      await page.getByRole('button', { name: 'Sign in' }).click();
      expect(await field.getAttribute('type')).toBe('password');
      expect(faults).toEqual([]);
    });
  }, 60_000);

  it('somebody else can take over at the consent page', async () => {
    const { email: otherEmail } = await identity.createUser();
    await open({}, async (page, faults) => {
      await page.goto(start('openid'));
      await signIn(page, password);
      await page.getByRole('button', { name: 'Not you? Use another account' }).click();
      await page.getByLabel('Email address').fill(otherEmail);
      await page.getByLabel('Password').fill(password);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('button', { name: 'Allow' }).waitFor();
      expect(await page.textContent('main')).toContain(otherEmail);
      await page.getByRole('button', { name: 'Allow' }).click();
      await page.waitForURL(/callback/);
      expect(faults).toEqual([]);
    });
  }, 60_000);

  it.each([
    ['light', 1280, 'en-GB'],
    ['dark', 1280, 'en-GB'],
    ['light', 360, 'de-DE'],
    ['dark', 360, 'en-GB'],
    ['light', 320, 'fr-FR'],
  ] as const)(
    'the account pages are readable, operable and not too wide: %s, %i px, %s',
    async (colorScheme, width, locale) => {
      const { email: own } = await identity.createUser({ companyId: 'acme' });
      const tokensOf = { client, email: own, password };
      for (const scope of ['openid profile email offline_access', 'openid']) {
        await obtainTokens(identity.issuer, { ...tokensOf, scope });
      }
      await open({ colorScheme, locale, viewport: { width, height: 800 } }, async (page) => {
        await page.goto(`${identity.issuer}/`);
        expect(await page.getByRole('link', { name: `${identity.issuer}/oauth/token`, exact: true }).count()).toBe(1);
        await checkLayout(page, width);
        await page.goto(`${identity.issuer}/account`);
        await checkLayout(page, width);
        await page.locator('#email').fill(own);
        await page.locator('#password').fill(password);
        await page.keyboard.press('Enter');
        await page.locator('.menu').waitFor();
        for (const path of ['', '/password', '/sessions', '/applications', '/sessions?done=ended']) {
          await page.goto(`${identity.issuer}/account${path}`);
          await checkLayout(page, width);
        }
        await page.goto(`${identity.issuer}/account/password`);
        for (const name of ['password', 'new_password', 'repeated']) await page.locator(`#${name}`).fill('too short');
        await page.keyboard.press('Enter');
        await page.getByRole('alert').waitFor();
        await checkLayout(page, width);
      });
    },
    60_000,
  );

  it('the error message gets the focus, and its link leads to the field', async () => {
    await open({}, async (page) => {
      await page.goto(start('openid'));
      await page.locator('#email:focus').waitFor();
      await signIn(page, 'wrong password');
      await page.locator('[role=alert]:focus').waitFor();
      await page.getByRole('alert').getByRole('link').click();
      expect(new URL(page.url()).hash).toBe('#email');
      expect(await page.getByLabel('Email address').getAttribute('aria-invalid')).toBe('true');
    });
  }, 60_000);

  it.each([
    ['light', 1280],
    ['dark', 1280],
    ['light', 360],
    ['dark', 360],
    ['light', 320],
  ] as const)(
    'text has AA contrast, targets are large enough and nothing overflows: %s, %i px',
    async (colorScheme, width) => {
      await open({ colorScheme, viewport: { width, height: 800 } }, async (page) => {
        await page.goto(start('openid profile email offline_access'));
        await checkLayout(page, width);
        await signIn(page, 'wrong password');
        await page.getByRole('alert').waitFor();
        await checkLayout(page, width);
        await page.getByLabel('Password').fill(password);
        await page.keyboard.press('Enter');
        await page.getByRole('button', { name: 'Allow' }).waitFor();
        await checkLayout(page, width);
        await page.goto(`${identity.issuer}/oauth/auth?client_id=nobody`);
        await checkLayout(page, width);
        await page.goto(`${identity.issuer}/oauth/session/end?client_id=${client.clientId}`);
        await page.getByRole('button', { name: 'Sign out', exact: true }).waitFor();
        await checkLayout(page, width);
        await page.getByRole('button', { name: 'Sign out of Harbour only' }).click();
        await page.getByRole('heading', { name: 'You are still signed in' }).waitFor();
        await checkLayout(page, width);
      });
    },
    60_000,
  );
});
