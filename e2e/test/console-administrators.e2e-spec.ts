/// <reference lib="dom" />
// What an administrator does in the console: users, applications, sessions, grants, signing keys and the audit log.
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { DpopKey, launchBrowser } from '@tradewind/testkit';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import {
  accessibilityFaults,
  accounts,
  openScreen,
  signInToConsole,
  visitConsole,
  type Account,
} from './console-visitor.js';
import { PlatformProcess, startTimeoutMs } from '../src/platform-process.js';

// Two cores may be busy with other tests at the same time.
jest.setTimeout(120_000);

const { admin, user } = accounts;

describe('the console of an administrator', () => {
  let platform: PlatformProcess;
  let browser: Browser;
  beforeAll(async () => {
    [platform, browser] = await Promise.all([
      PlatformProcess.start({ env: { REQUESTS_PER_MINUTE: '100000' } }),
      launchBrowser(),
    ]);
  }, startTimeoutMs + 10_000);
  afterAll(async () => {
    await browser?.close();
    await platform?.remove();
  }, 60_000);

  const origin = () => `http://localhost:${platform.portBase + 6}`;
  const visit = <T>(options: BrowserContextOptions, act: (page: Page) => Promise<T>): Promise<T> =>
    visitConsole(browser, options, act);
  const signIn = (page: Page, account: Account, path = '/') => signInToConsole(page, origin() + path, account);
  const fact = (page: Page, name: string) =>
    page
      .locator('dl > div')
      .filter({ has: page.getByText(name, { exact: true }) })
      .locator('dd');

  it('invites a user, moves it to a company, makes a link for it and disables it', async () => {
    await visit({}, async (page) => {
      await signIn(page, admin);
      await page.goto(`${origin()}/users?invite=yes`);
      const dialog = page.getByRole('dialog', { name: 'Invite a user' });
      await dialog.getByLabel('Email address').fill('katherine@example.com');
      await dialog.getByLabel('Role').selectOption('ANALYST');
      await dialog.getByLabel('Email address').press('Enter');
      await dialog.getByText('katherine@example.com gets a mail').waitFor();
      await dialog.getByRole('button', { name: 'Close', exact: true }).last().click();
      await page.getByLabel('Address begins with').fill('katherine');
      await page.getByLabel('Address begins with').press('Enter');
      await page.waitForURL((url) => url.searchParams.get('search') === 'katherine');
      await page.getByRole('link', { name: 'katherine@example.com' }).click();
      // The list that was there has a field of this name, too.
      await page.getByRole('button', { name: 'Change the company' }).waitFor();
      await page.getByLabel('Company id').fill('acme');
      await page.getByRole('button', { name: 'Change the company' }).click();
      const moving = page.getByRole('dialog', { name: 'Move katherine@example.com to acme?' });
      await moving.getByRole('button', { name: 'Change the company' }).click();
      await moving.waitFor({ state: 'detached' });
      await page.getByRole('button', { name: 'Password link' }).click();
      await page.getByRole('button', { name: 'Make the link' }).click();
      await page.getByText('katherine@example.com gets a mail with the link.').waitFor();
      await page.keyboard.press('Escape');
      // What was changed is stored, and the list finds it.
      await page.goto(`${origin()}/users?company=acme&role=ANALYST`);
      await page.getByRole('link', { name: 'katherine@example.com' }).click();
      await page.getByText('The user is signed in nowhere.').waitFor();
      await page.getByRole('button', { name: 'Disable' }).click();
      await page.getByRole('button', { name: 'Disable the user' }).click();
      await page.getByText('disabled', { exact: true }).waitFor();
      expect(await page.getByRole('button', { name: 'Password link' }).count()).toBe(0);
    });
  });

  it('makes an application, edits it, rotates its secret and deletes it', async () => {
    /** What identity says to a code that it never gave, from a client with this secret. */
    const errorFor = async (secret: string) => {
      const response = await fetch(`${platform.issuer}/oauth/token`, {
        method: 'POST',
        body: new URLSearchParams({
          ...{
            grant_type: 'authorization_code',
            code: 'nothing',
            redirect_uri: 'https://reports.example.com/callback',
          },
          ...{ client_id: 'console-reports', client_secret: secret },
        }),
      });
      return ((await response.json()) as { error: string }).error;
    };
    await visit({}, async (page) => {
      await signIn(page, admin);
      await openScreen(page, 'Applications');
      await page.getByRole('button', { name: 'Make an application' }).click();
      const making = page.getByRole('dialog', { name: 'Make an application' });
      await making.getByLabel('Client id').fill('console-reports');
      await making.getByLabel('Name').fill('Reports');
      await making.getByLabel('Redirect URIs').fill('javascript:alert(1)');
      await making.getByRole('button', { name: 'Make the application' }).click();
      await making.getByRole('alert').getByText('redirect_uris').waitFor();
      await making.getByLabel('Redirect URIs').fill('https://reports.example.com/callback');
      await making.getByLabel('urn:tradewind:data').check();
      await making.getByRole('button', { name: 'Make the application' }).click();
      const first = (await making.getByTestId('secret').textContent())!;
      expect([await errorFor(first), await errorFor(`${first}x`)]).toEqual(['invalid_grant', 'invalid_client']);
      await making.getByRole('link', { name: 'console-reports' }).click();

      await page.getByRole('heading', { name: 'Reports' }).waitFor();
      expect(await fact(page, 'Resources').textContent()).toBe('urn:tradewind:data');
      await page.getByRole('button', { name: 'Edit' }).click();
      const editing = page.getByRole('dialog', { name: 'Edit Reports' });
      await editing
        .getByLabel('Redirect URIs')
        .fill('https://reports.example.com/callback\nhttps://reports.example.com/second');
      await editing.getByLabel('Scopes').fill('openid  email');
      await editing.getByLabel('urn:tradewind:data').uncheck();
      await editing.getByLabel('urn:tradewind:pipelines').check();
      await editing.getByRole('button', { name: 'Save' }).click();
      await editing.waitFor({ state: 'detached' });
      await page.reload();
      await page.getByText('https://reports.example.com/second').waitFor();
      expect(await fact(page, 'Scopes').textContent()).toBe('openid email');
      expect(await fact(page, 'Resources').textContent()).toBe('urn:tradewind:pipelines');
      expect(await fact(page, 'Grant types').textContent()).toBe('authorization_code, refresh_token');

      await page.getByRole('button', { name: 'Rotate the secret' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Rotate the secret' }).click();
      const second = (await page.getByTestId('secret').textContent())!;
      expect([await errorFor(second), await errorFor(first)]).toEqual(['invalid_grant', 'invalid_client']);
      await page.keyboard.press('Escape');

      await page.getByRole('button', { name: 'Delete' }).click();
      await page.getByRole('button', { name: 'Delete the application' }).click();
      await page.getByRole('heading', { name: 'Applications' }).waitFor();
      expect(await errorFor(second)).toBe('invalid_client');
      await page.goto(`${origin()}/applications/console-reports`);
      await page.getByRole('heading', { name: 'This does not exist' }).waitFor();
    });
  });

  it('ends one session of a user, and then all of them with the grants', async () => {
    await visit({}, async (page) => {
      await signIn(page, admin);
      await openScreen(page, 'Sessions');
      await page.getByLabel('Address of the user begins with').fill(user.email);
      await page.getByLabel('Address of the user begins with').press('Enter');
      const signedOut = page.getByText('The user is signed in nowhere.');
      await visit({ userAgent: 'Browser of the user' }, async (theirs) => {
        await signIn(theirs, user);
        await page.getByRole('link', { name: user.email }).click();
        const sessions = page.getByRole('region', { name: 'Sessions' });
        await sessions.getByText('Browser of the user').waitFor();
        await page.getByRole('button', { name: /^End the session/ }).click();
        await page.getByRole('button', { name: 'End the session', exact: true }).click();
        await signedOut.waitFor();
        await theirs.reload();
        await theirs.getByLabel('Password', { exact: true }).waitFor();
      });
      await visit({}, async (theirs) => {
        await signIn(theirs, user);
        await page.reload();
        const grants = page.getByRole('region', { name: 'Grants' });
        await grants
          .getByRole('link', { name: /console/ })
          .first()
          .waitFor();
        await page.getByRole('button', { name: 'Sign out everywhere' }).click();
        await page.getByRole('dialog').getByRole('button', { name: 'Sign out everywhere' }).click();
        await signedOut.waitFor();
        await page.getByText('The user allowed no application anything.').waitFor();
        await theirs.reload();
        await theirs.getByLabel('Password', { exact: true }).waitFor();
      });
    });
  });

  it('ends a grant, after which the application asks the user again', async () => {
    await visit({}, async (theirs) => {
      await signIn(theirs, user);
      await visit({}, async (page) => {
        await signIn(page, admin);
        await page.goto(`${origin()}/applications`);
        await page.getByRole('link', { name: /console/ }).click();
        // Its grants: one of the administrator, at least one of the user.
        await page.getByRole('region', { name: 'Grants' }).getByRole('row').nth(2).waitFor();
        await page.goto(`${origin()}/users?search=${user.email}`);
        await page.getByRole('link', { name: user.email }).click();
        const ends = page.getByRole('button', { name: /^End the grant/ });
        await ends.first().waitFor();
        // One of each sign-in with an answer.
        for (let left = await ends.count(); left > 0; left--) {
          await ends.first().click();
          await page.getByRole('button', { name: 'End the grant', exact: true }).click();
          await page.getByRole('dialog').waitFor({ state: 'detached' });
        }
        await page.getByText('The user allowed no application anything.').waitFor();
      });
      await theirs.reload();
      await theirs.getByRole('button', { name: 'Allow' }).waitFor();
    });
  });

  it('finds events by filters that are in the address, and saves all of them', async () => {
    await visit({ acceptDownloads: true }, async (page) => {
      await signIn(page, admin);
      await openScreen(page, 'Audit');
      const event = page.getByLabel('Event', { exact: true });
      await event.fill('login.succeeded');
      await event.press('Enter');
      await page.waitForURL((url) => url.searchParams.get('event') === 'login.succeeded');
      const today = await page.evaluate(() => new Date().toLocaleDateString('en-CA'));
      await page.goto(`${origin()}/audit?event=login.succeeded&from=${today}&until=${today}`);
      await page.getByRole('region', { name: 'Events' }).getByRole('row').nth(1).waitFor();
      const saved = page.waitForEvent('download');
      await page.getByRole('button', { name: 'Export as NDJSON' }).click();
      const file = await saved;
      expect(file.suggestedFilename()).toMatch(/^audit-\d{4}-\d\d-\d\d\.ndjson$/);
      const events = readFileSync(await file.path(), 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as { event: string; at: string });
      expect(new Set(events.map(({ event: name }) => name))).toEqual(new Set(['login.succeeded']));
      expect(events.length).toBeGreaterThanOrEqual(1);
      await page.getByText(/^Saved \d+ kB\.$/).waitFor();
      await page.goto(`${origin()}/audit?until=2020-01-01`);
      await page.getByText('No event fits these filters.').waitFor();
      await page.goto(`${origin()}/audit?from=yesterday`);
      await page.getByRole('alert').getByText('since').waitFor();
    });
  });

  it.each(['/users', '/sessions', '/applications', '/applications/demo-client', '/signing-keys', '/audit'])(
    'shows %s to administrators alone',
    async (path) => {
      await visit({}, async (page) => {
        await signIn(page, user, path);
        await page.getByRole('heading', { name: 'You may not see this' }).waitFor();
        if (path === '/sessions') {
          await page.goto(`${origin()}/sessions?user=5f0c1b6e-9d3a-4c52-8a80-2f6e0f4f7a11`);
          await page.getByRole('heading', { name: 'You may not see this' }).waitFor();
        }
      });
    },
  );

  it('binds access and refresh tokens to its key: both are of no use with another', async () => {
    await visit({}, async (page) => {
      const answers: { access_token: string; refresh_token: string }[] = [];
      page.on('response', (response) => {
        if (!response.url().endsWith('/oauth/token') || response.request().method() !== 'POST') return;
        void response.json().then((tokens: (typeof answers)[number]) => answers.push(tokens));
      });
      await signIn(page, admin);
      await openScreen(page, 'Users');
      await page.getByRole('link', { name: admin.email }).waitFor();
      const { access_token: access, refresh_token: refresh } = answers.at(-1)!;
      const thief = new DpopKey();
      const users = `${platform.issuer}/admin/users`;
      const asked = await fetch(users, {
        headers: { authorization: `DPoP ${access}`, dpop: thief.proof({ method: 'GET', url: users }, access) },
      });
      expect(asked.status).toBe(401);
      const token = `${platform.issuer}/oauth/token`;
      const refreshed = async (headers: Record<string, string>) => {
        const response = await fetch(token, {
          method: 'POST',
          headers,
          body: new URLSearchParams({
            ...{
              grant_type: 'refresh_token',
              refresh_token: refresh,
              client_id: await clientId(),
              resource: 'urn:tradewind:data',
            },
          }),
        });
        return [response.status, ((await response.json()) as { error: string }).error];
      };
      const clientId = async () =>
        ((await (await fetch(`${origin()}/settings.json`)).json()) as { client_id: string }).client_id;
      expect(await refreshed({})).toEqual([400, 'invalid_grant']);
      expect(await refreshed({ dpop: thief.proof({ method: 'POST', url: token }) })).toEqual([400, 'invalid_grant']);
      // The thief's attempts took nothing from the owner: the console renews with the same refresh token.
      await openScreen(page, 'Jobs');
      await page.getByRole('button', { name: 'Start jobs' }).waitFor();
      await page.getByText(/No jobs yet/).waitFor();
    });
  });

  const screens = [
    ['/users?invite=yes', 'Invite a user'],
    ['/sessions', 'Sessions'],
    ['/applications', 'Applications'],
    ['/applications?make=yes', 'Make an application'],
    ['/applications/demo-client', 'Grants'],
    ['/applications/demo-client?edit=yes', /^Edit/],
    ['/signing-keys', 'Signing keys'],
    ['/signing-keys?rotate=yes', 'Let the next key sign?'],
    ['/audit?from=2020-01-01', 'Audit'],
  ] as const;

  it.each([360, 1600].flatMap((width) => (['light', 'dark'] as const).map((colorScheme) => ({ width, colorScheme }))))(
    'has no fault that axe-core finds at $width px, $colorScheme',
    async ({ width, colorScheme }) => {
      await visit({ viewport: { width, height: 800 }, colorScheme }, async (page) => {
        const isClean = async (path: string) => {
          await page.waitForLoadState('networkidle');
          expect([path, await accessibilityFaults(page)]).toEqual([path, []]);
          expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
        };
        await signIn(page, admin);
        for (const [path, heading] of screens) {
          await page.goto(origin() + path);
          await page.getByRole('heading', { name: heading, exact: true }).first().waitFor();
          await isClean(path);
        }
        await page.goto(`${origin()}/users?search=${admin.email}`);
        await page.getByRole('link', { name: admin.email }).click();
        await page.getByRole('region', { name: 'Sessions' }).waitFor();
        await page.getByRole('region', { name: 'Grants' }).waitFor();
        await isClean('/users/:user');
      });
    },
  );

  // The last: services may refuse tokens of a key that they have not read yet.
  it('rotates the signing key when that is safe, or when it is told to do it all the same', async () => {
    await visit({}, async (page) => {
      await signIn(page, admin);
      await openScreen(page, 'Signing keys');
      const kidOf = (state: string) =>
        page
          .getByRole('row')
          .filter({ has: page.getByText(state, { exact: true }) })
          .locator('code')
          .first()
          .textContent();
      const before = await kidOf('current');
      const dialog = page.getByRole('dialog', { name: 'Let the next key sign?' });
      await page.getByRole('button', { name: 'Rotate' }).click();
      await dialog.getByLabel('Even when the next key was published just now').check();
      await dialog.getByRole('button', { name: 'Rotate the key' }).click();
      await dialog.waitFor({ state: 'detached' });
      expect(await kidOf('previous')).toBe(before);
      expect(await kidOf('current')).not.toBe(before);
      // The next key was published just now.
      await page.getByRole('button', { name: 'Rotate' }).click();
      await dialog.getByRole('button', { name: 'Rotate the key' }).click();
      await dialog.getByRole('alert').getByText('wait, or force it').waitFor();
      await dialog.getByRole('button', { name: 'Cancel' }).click();
      await dialog.waitFor({ state: 'detached' });
    });
  });
});
