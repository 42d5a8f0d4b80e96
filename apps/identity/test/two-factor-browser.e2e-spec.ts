/// <reference lib="dom" />
// Second factors in Chromium: passkeys, with a virtual authenticator, and how the pages look and work.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { launchBrowser, testPool } from '@tradewind/testkit';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { checkLayout } from './page-checks.js';
import { password, startIdentity, type Identity } from './identity.fixture.js';
import { codeOf } from './two-factor.fixture.js';
import { authorizationUrl, decodeJwt, exchangeCode, makePkce, UserAgent, type FlowClient } from './user-agent.js';

describe('second factors in Chromium', () => {
  let identity: Identity;
  let browser: Browser;
  let client: FlowClient;

  beforeAll(async () => {
    identity = await startIdentity({ SECOND_FACTOR_FOR_ADMIN: 'true' }, 'localhost');
    const redirectUri = `${identity.issuer}/health`;
    client = { ...(await identity.createClient({ name: 'Harbour', redirectUris: [redirectUri] })), redirectUri };
    browser = await launchBrowser();
  }, 60_000);
  afterAll(async () => {
    await browser.close();
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
  /** A device that keeps passkeys; those of a synced one may be copied to others. */
  async function giveAuthenticator(page: Page, isSynced = false): Promise<void> {
    const devTools = await page.context().newCDPSession(page);
    await devTools.send('WebAuthn.enable');
    await devTools.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        ...{ protocol: 'ctap2', transport: 'internal', hasResidentKey: true, hasUserVerification: true },
        ...{ isUserVerified: true, automaticPresenceSimulation: true },
        ...{ defaultBackupEligibility: isSynced, defaultBackupState: isSynced },
      },
    });
  }
  async function enterPassword(page: Page, email: string, url = `${identity.issuer}/account`): Promise<void> {
    await page.goto(url);
    await page.locator('#email').fill(email);
    await page.locator('#password').fill(password);
    await page.locator('form[action$="/submit"] .primary').click();
  }
  async function addPasskey(page: Page): Promise<void> {
    await page.goto(`${identity.issuer}/account/two-factor/passkey`);
    await page.locator('form[data-passkey] button').click();
  }
  const secretOn = async (page: Page) =>
    ((await page.locator('.technical code').textContent()) ?? '').replaceAll(' ', '');
  async function addApp(page: Page): Promise<string> {
    await page.goto(`${identity.issuer}/account/two-factor/app`);
    const secret = await secretOn(page);
    await page.locator('#code').fill(codeOf(secret, -1));
    await page.locator('form[action$="/app"] .primary').click();
    await page.locator('h1').waitFor();
    return secret;
  }
  const signOut = async (page: Page) => page.context().clearCookies();

  it.each([
    ['of one device', false, 'hwk'],
    ['that is synced', true, 'swk'],
  ])(
    'a passkey %s is made, signs in, and ID tokens say so',
    async (_, isSynced, means) => {
      const { email } = await identity.createUser();
      await open({}, async (page, faults) => {
        await giveAuthenticator(page, isSynced);
        await enterPassword(page, email);
        await page.getByRole('link', { name: 'Two-step sign-in' }).click();
        await page.getByRole('link', { name: 'Add a passkey' }).click();
        await page.getByRole('button', { name: 'Make a passkey' }).click();
        await page.getByRole('heading', { name: 'Your recovery codes' }).waitFor();
        expect(await page.getByRole('listitem').count()).toBe(10);
        await page.getByRole('link', { name: 'I have saved them' }).click();
        expect(await page.locator('.rows').textContent()).toContain('Chrome, Linux');
        await signOut(page);

        const pkce = makePkce();
        await enterPassword(page, email, authorizationUrl(identity.issuer, { client, scope: 'openid' }, pkce));
        expect(await page.getByText('A passkey needs JavaScript').isVisible()).toBe(false);
        await page.getByRole('button', { name: 'Use a passkey' }).click();
        await page.getByRole('button', { name: 'Allow' }).click();
        await page.waitForURL(/health\?code/);
        const code = new URL(page.url()).searchParams.get('code') ?? '';
        const { body } = await exchangeCode(identity.issuer, client, code, pkce);
        expect(decodeJwt(body.id_token).payload).toMatchObject({
          ...{ acr: 'urn:tradewind:acr:two-factor', amr: ['pwd', means, 'mfa'] },
        });
        expect(faults).toEqual([]);
      });
    },
    60_000,
  );

  it('the answer of a passkey is good in its own login alone, once, and a copied passkey is noticed', async () => {
    const user = await identity.createUser();
    await open({}, async (page) => {
      await giveAuthenticator(page);
      await enterPassword(page, user.email);
      await addPasskey(page);
      await page.getByRole('heading', { name: 'Your recovery codes' }).waitFor();
      await signOut(page);
      await enterPassword(page, user.email);
      const posted = page.waitForRequest((request) => request.url().endsWith('/passkey'));
      await page.getByRole('button', { name: 'Use a passkey' }).click();
      const answer = new URLSearchParams((await posted).postData() ?? '').get('answer') ?? '';
      await page.getByRole('heading', { name: 'Your account' }).waitFor();

      // Somebody who knows the password and has seen the answer.
      const agent = new UserAgent(identity.issuer);
      const login = await agent.visit('/account');
      const asked = await agent.submit(login, 'submit', { email: user.email, password });
      const { csrf, action } =
        /action="(?<action>[^"]+\/passkey)"[^>]*>\s*<input type="hidden" name="_csrf" value="(?<csrf>[^"]+)"/.exec(
          asked.body,
        )!.groups!;
      expect((await agent.post(action!, { _csrf: csrf!, answer })).status).toBe(401);

      await signOut(page);
      const sql = testPool({ connectionString: identity.databaseUrl, options: '-c search_path=identity', max: 1 });
      await sql.query('update passkey set sign_count = 1000 where user_id = $1', [user.id]);
      await sql.end();
      await enterPassword(page, user.email);
      await page.getByRole('button', { name: 'Use a passkey' }).click();
      await page.getByText('The passkey was not accepted.').waitFor();
    });
  }, 60_000);

  it('an ADMIN without a second factor makes a passkey at sign-in', async () => {
    const { email } = await identity.createUser({ role: 'ADMIN' });
    await open({}, async (page, faults) => {
      await giveAuthenticator(page);
      await enterPassword(page, email);
      await page.getByRole('heading', { name: 'Set up a second step' }).waitFor();
      await page.getByRole('button', { name: 'Make a passkey' }).click();
      await page.getByRole('link', { name: 'I have saved them' }).click();
      await page.getByRole('heading', { name: 'Your account' }).waitFor();
      expect(faults).toEqual([]);
    });
  }, 60_000);

  it('a passkey that the browser cannot use leaves a message and the way to a recovery code', async () => {
    const { email } = await identity.createUser();
    await open({}, async (page) => {
      await giveAuthenticator(page);
      await enterPassword(page, email);
      await addPasskey(page);
      const code = (await page.getByRole('listitem').first().textContent()) ?? '';
      await signOut(page);
      await page.addInitScript(() => {
        navigator.credentials.get = () => Promise.reject(new Error('the user closed the window'));
      });
      await enterPassword(page, email);
      await page.getByRole('button', { name: 'Use a passkey' }).click();
      await page.getByText('Your browser used no passkey.').waitFor();
      expect(await page.getByRole('button', { name: 'Use a passkey' }).isEnabled()).toBe(true);
      await page.getByRole('link', { name: 'Use a recovery code' }).click();
      await page.getByLabel('Recovery code').fill(code);
      await page.getByRole('button', { name: 'Confirm' }).click();
      await page.getByRole('heading', { name: 'Your account' }).waitFor();
    });
  }, 60_000);

  it('an app is added and used without JavaScript, and so is a recovery code', async () => {
    const { email } = await identity.createUser();
    await open({ javaScriptEnabled: false, viewport: { width: 360, height: 740 } }, async (page, faults) => {
      await enterPassword(page, email);
      await page.getByRole('link', { name: 'Two-step sign-in' }).click();
      await page.getByRole('link', { name: 'Add an authenticator app' }).click();
      const secret = await secretOn(page);
      await page.getByLabel('Code of your authenticator app').fill('000000');
      await page.keyboard.press('Enter');
      await page.locator('[role=alert]:focus').waitFor();
      expect(await secretOn(page)).toBe(secret);
      await page.getByLabel('Code of your authenticator app').fill(codeOf(secret, -1));
      await page.getByRole('button', { name: 'Add the app' }).click();
      const recovery = (await page.getByRole('listitem').last().textContent()) ?? '';
      for (const [label, code] of [
        ['Code of your authenticator app', codeOf(secret)],
        ['Recovery code', recovery],
      ] as const) {
        await signOut(page);
        await enterPassword(page, email);
        if (label === 'Recovery code') await page.getByRole('link', { name: 'Use a recovery code' }).click();
        await page.getByLabel(label).fill(code);
        await page.getByRole('button', { name: 'Confirm' }).click();
        await page.getByRole('heading', { name: 'Your account' }).waitFor();
      }
      await page.goto(`${identity.issuer}/account/two-factor/passkey`);
      await page.getByText('A passkey needs JavaScript').waitFor();
      expect(await page.getByRole('button', { name: 'Make a passkey' }).isVisible()).toBe(false);
      expect(faults).toEqual([]);
    });
  }, 60_000);

  it.each([
    ['light', 1280, 'en-GB'],
    ['dark', 1280, 'en-GB'],
    ['light', 360, 'de-DE'],
    ['dark', 360, 'en-GB'],
    ['light', 320, 'fr-FR'],
    ['dark', 320, 'es-ES'],
  ] as const)(
    'the pages are readable, operable and not too wide: %s, %i px, %s',
    async (colorScheme, width, locale) => {
      const [{ email }, admin] = [await identity.createUser(), await identity.createUser({ role: 'ADMIN' })];
      await open({ colorScheme, locale, viewport: { width, height: 800 } }, async (page, faults) => {
        const check = async () => {
          await page.locator('h1').waitFor();
          await checkLayout(page, width);
        };
        await giveAuthenticator(page);
        await enterPassword(page, admin.email);
        await check();
        await signOut(page);
        await enterPassword(page, email);
        for (const path of ['', '/passkey', '/app']) {
          await page.goto(`${identity.issuer}/account/two-factor${path}`);
          await check();
        }
        await addApp(page);
        // The recovery codes.
        await check();
        await addPasskey(page);
        await page.waitForURL(/done=added/);
        await check();
        await signOut(page);
        await enterPassword(page, email);
        await page.locator('#code').waitFor();
        await check();
        await page.locator('#code').fill('000000');
        await page.locator('form[action$="/code"] .primary').click();
        await page.getByRole('alert').first().waitFor();
        await check();
        await page.locator('.links a').first().click();
        await page.waitForURL(/recovery/);
        await check();
        expect(faults).toEqual([]);
      });
    },
    120_000,
  );
});
