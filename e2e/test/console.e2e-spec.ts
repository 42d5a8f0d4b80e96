/// <reference lib="dom" />
// The console in Chromium, on a platform of its own: every screen and flow, as a person goes through them.
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { launchBrowser } from '@tradewind/testkit';
import axe from 'axe-core';
import type { Browser, BrowserContextOptions, Page, Request } from 'playwright-core';
import { PlatformProcess, startTimeoutMs } from '../src/platform-process.js';

// Two cores may be busy with other tests at the same time.
jest.setTimeout(120_000);

const admin = { email: 'admin@example.com', password: 'admin-password-1' };
const user = { email: 'demo@example.com', password: 'demo-password-1' };

describe('the console', () => {
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

  async function visit<T>(options: BrowserContextOptions, act: (page: Page) => Promise<T>): Promise<T> {
    const context = await browser.newContext({ locale: 'en-GB', ...options });
    const page = await context.newPage();
    page.setDefaultTimeout(30_000);
    const faults: string[] = [];
    page.on('pageerror', ({ message }) => faults.push(message));
    page.on('console', (message) => {
      if (/Content Security Policy|Refused to/i.test(message.text())) faults.push(message.text());
    });
    try {
      const result = await act(page);
      expect(faults).toEqual([]);
      return result;
    } finally {
      await context.close();
    }
  }

  async function signIn(page: Page, { email, password }: typeof admin, path = '/'): Promise<void> {
    await page.goto(origin() + path);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByLabel('Email address').fill(email);
    await page.getByLabel('Password', { exact: true }).fill(password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    // Only the first time: identity remembers what was allowed.
    const allow = page.getByRole('button', { name: 'Allow' });
    const signOut = page.getByRole('button', { name: 'Sign out' });
    await allow.or(signOut).waitFor();
    if (await allow.isVisible()) await allow.click();
    await signOut.waitFor();
  }

  async function violations(page: Page): Promise<unknown[]> {
    // The policy of the page forbids scripts; Chromium runs this one for the test all the same.
    await page.evaluate(axe.source);
    return page.evaluate(async () => {
      const { axe: checker } = window as unknown as { axe: typeof axe };
      const found = await checker.run(document, { resultTypes: ['violations'] });
      return found.violations.map(({ id, nodes }) => ({ id, nodes: nodes.map(({ html }) => html) }));
    });
  }

  const open = (page: Page, screen: string) =>
    page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name: screen, exact: true }).click();

  it('shows an administrator which services work, and stores no token', async () => {
    await visit({}, async (page) => {
      await signIn(page, admin);
      await page.getByRole('heading', { name: 'Overview' }).waitFor();
      await expect(page.getByText('ready', { exact: true }).nth(5).waitFor()).resolves.toBeUndefined();
      const stored = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]));
      expect(stored).toBe(JSON.stringify([{}, { 'tradewind.was-signed-in': '1' }]));
      // After a reload identity knows the session, and nobody types anything.
      await page.reload();
      await page.getByRole('heading', { name: 'Overview' }).waitFor();
    });
  });

  it('binds tokens to a key that no script can read: a stolen one is of no use', async () => {
    await visit({}, async (page) => {
      await signIn(page, admin);
      const isUsers = (request: Request) => request.url().includes('/admin/users') && request.method() === 'GET';
      const asked = page.waitForRequest(isUsers);
      await open(page, 'Users');
      const sent = await (await asked).allHeaders();
      const url = (await asked).url();
      const token = /^DPoP (.+)$/.exec(sent['authorization']!)![1]!;
      const status = async (headers: Record<string, string>, address = url) =>
        (await fetch(address, { headers })).status;
      expect(await status({ authorization: `Bearer ${token}` })).toBe(401);
      expect(await status({ authorization: `DPoP ${token}` })).toBe(401);
      // A proof that was sent once is good for that request, and for no other.
      const stolen = { authorization: `DPoP ${token}`, dpop: sent['dpop']! };
      expect(await status(stolen, `${platform.issuer}/admin/clients`)).toBe(401);
      const isReadable = await page.evaluate(async () => {
        const request = indexedDB.open('tradewind-console');
        await new Promise((resolve) => (request.onsuccess = resolve));
        const read = request.result.transaction('keys').objectStore('keys').get('dpop') as IDBRequest<CryptoKeyPair>;
        await new Promise((resolve) => (read.onsuccess = resolve));
        return crypto.subtle.exportKey('jwk', read.result.privateKey).then(
          () => true,
          () => false,
        );
      });
      expect(isReadable).toBe(false);
    });
  });

  it('starts a job and follows it to its end', async () => {
    await visit({}, async (page) => {
      await signIn(page, admin);
      await open(page, 'Jobs');
      await page.getByRole('button', { name: 'Start jobs' }).click();
      const dialog = page.getByRole('dialog', { name: 'Start jobs' });
      await dialog.getByLabel(/Handles or profile addresses/).fill('ada-lovelace\ngrace-hopper');
      await dialog.getByLabel('Company id').fill('console-test');
      await dialog.getByText('2 jobs, up to 220 items.').waitFor();
      await dialog.getByRole('button', { name: 'Start', exact: true }).click();
      await dialog.getByText('Triggered 2/2 jobs successfully.').waitFor();
      await dialog.getByRole('button', { name: 'Close', exact: true }).last().click();
      await page.getByRole('link', { name: 'ada-lovelace' }).click();
      await page.getByRole('heading', { name: 'ada-lovelace' }).waitFor();
      await page.getByText('completed', { exact: true }).waitFor({ timeout: 60_000 });
      const happened = page.getByRole('region', { name: 'What happened' }).getByRole('listitem');
      await happened.filter({ hasText: 'Start of a run: started' }).waitFor();
      await happened.filter({ hasText: 'The job is completed' }).waitFor();
      // What jobs of this company cost is known now.
      await page.goto(`${origin()}/jobs?start=yes`);
      await dialog.getByLabel('Company id').fill('console-test');
      await dialog.getByLabel(/Handles or profile addresses/).fill('alan-turing');
      await dialog.getByText(/Expected cost \$\d+\.\d\d, as its last jobs on average\./).waitFor();
      // The filters are in the address, and a shared link shows the same after a sign-in.
      await page.goto(`${origin()}/jobs?company=console-test&status=COMPLETED&handle=ada-lovelace`);
      await page.getByRole('link', { name: 'ada-lovelace' }).waitFor();
      expect(await page.getByRole('link', { name: 'grace-hopper' }).count()).toBe(0);
      expect(await page.getByLabel('State').inputValue()).toBe('COMPLETED');
    });
  });

  it('shows the plan before failed jobs start again and before jobs are aborted', async () => {
    const simulator = `${platform.url('simulator')}/faults`;
    const faults = [
      { on: 'run', kind: 'fail', target: 'fails-once', times: 1 },
      { on: 'run', kind: 'never_ends', target: 'never-ends' },
    ];
    const put = (body: unknown) =>
      fetch(simulator, {
        method: 'PUT',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    expect((await put({ faults })).ok).toBe(true);
    await visit({}, async (page) => {
      await signIn(page, admin);
      await page.goto(`${origin()}/jobs?company=console-plans&start=yes`);
      const starting = page.getByRole('dialog', { name: 'Start jobs' });
      await starting.getByLabel(/Handles or profile addresses/).fill('fails-once\nnever-ends');
      await starting.getByLabel('Company id').fill('console-plans');
      await starting.getByRole('button', { name: 'Start', exact: true }).click();
      await starting.getByRole('button', { name: 'Close', exact: true }).last().click();
      await page.getByRole('link', { name: 'fails-once' }).click();
      await page.getByText('failed', { exact: true }).waitFor({ timeout: 60_000 });
      await page.getByRole('button', { name: 'Start again' }).click();
      const again = page.getByRole('dialog', { name: 'Start failed jobs again' });
      await again.getByText(/^One job of 1 will start\. Expected cost \$\d+\.\d\d, at most \$\d+\.\d\d\.$/).waitFor();
      await again.getByText('would start', { exact: true }).waitFor();
      await again.getByRole('button', { name: 'Start again' }).click();
      await again.getByText('One job started again.').waitFor();
      await again.getByRole('button', { name: 'Done' }).click();
      // It starts again once.
      await page.goto(`${origin()}/jobs?company=console-plans`);
      await page.getByRole('button', { name: 'Start failed again' }).click();
      await again.getByText('No failed job of these can start again.').waitFor();
      await page.keyboard.press('Escape');
      await page.goto(`${origin()}/jobs?company=console-plans&handle=never-ends&plan=abort`);
      const aborting = page.getByRole('dialog', { name: 'Abort jobs' });
      await aborting.getByText('One job of 1 will end.').waitFor();
      expect(await violations(page)).toEqual([]);
      await aborting.getByRole('button', { name: 'Abort', exact: true }).click();
      await aborting.getByText('One job will be aborted.').waitFor();
      await aborting.getByRole('button', { name: 'Done' }).click();
      await page.getByRole('region', { name: 'Jobs' }).getByText('aborted', { exact: true }).waitFor();
    });
    expect((await put({ faults: [] })).ok).toBe(true);
  });

  it('says what the service refused, in its own words', async () => {
    await visit({}, async (page) => {
      await signIn(page, admin);
      await page.goto(`${origin()}/jobs?status=NONSENSE`);
      await page.getByRole('alert').getByText('status').waitFor();
      await page.goto(`${origin()}/jobs?company=nobody-has-this`);
      await page.getByText('No job fits these filters.').waitFor();
      await page.goto(`${origin()}/nothing`);
      await page.getByRole('heading', { name: 'There is no such screen' }).waitFor();
    });
  });

  it('shows the progress of a month and who is missing, and retries them by the plan', async () => {
    const faults = [{ on: 'profile', kind: 'fail', times: 3 }];
    const put = (body: unknown) =>
      fetch(`${platform.url('simulator')}/faults`, {
        method: 'PUT',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    await visit({}, async (page) => {
      await signIn(page, admin);
      await open(page, 'Months');
      await page.getByText('No month has a run yet.').waitFor();
      expect((await put({ faults })).ok).toBe(true);
      const run = await fetch(`${platform.url('coordinator')}/run`, { method: 'POST' });
      const { month } = (await run.json()) as { month: string };
      const missing = page.getByRole('region', { name: 'Missing profiles' }).getByRole('row');
      await page.goto(`${origin()}/months?month=${month}`);
      await page.getByText('3 of these ended without a profile.').waitFor({ timeout: 60_000 });
      // The head, and the three.
      for (let tries = 0; tries < 300 && (await missing.count()) !== 4; tries++) await page.waitForTimeout(100);
      expect(await missing.count()).toBe(4);
      for (const scheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme: scheme });
        expect(await violations(page)).toEqual([]);
      }
      await page.getByRole('button', { name: 'Retry the missing' }).click();
      const retry = page.getByRole('dialog', { name: `Retry the missing of ${month}` });
      await retry.getByText('Will start again').waitFor();
      expect(await retry.locator('dd').first().textContent()).toBe('3');
      expect(await violations(page)).toEqual([]);
      await retry.getByRole('button', { name: 'Start again' }).click();
      await retry.getByText('Started again: 3.').waitFor();
      await retry.getByRole('button', { name: 'Done' }).click();
      await page.getByText('Nobody is missing: everything is stored and backed up.').waitFor({ timeout: 60_000 });
      await page.goto(`${origin()}/months?month=1999-01`);
      await page.getByText('The month 1999-01 has no run.').waitFor();
    });
  });

  it('makes a key that works, shows what it did, rotates and revokes it', async () => {
    const asked = async (key: string, query: string) => {
      const { status } = await fetch(`${platform.url('graphql-gateway')}/graphql`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ query }),
      });
      return status;
    };
    const untilRefused = async (key: string) => {
      for (let tries = 0; tries < 200 && (await asked(key, '{ __typename }')) !== 401; tries++) await sleep(100);
      expect(await asked(key, '{ __typename }')).toBe(401);
    };
    await visit({ permissions: ['clipboard-read', 'clipboard-write'] }, async (page) => {
      await signIn(page, user);
      await open(page, 'Keys and usage');
      const use = page.getByRole('table', { name: 'Your data calls, last 30 days by day' }).getByRole('row');
      const today = () => use.last().getByRole('cell').last().textContent();
      await use.last().waitFor();
      expect(await today()).toBe('0');
      await page.getByRole('button', { name: 'Make a key' }).click();
      await page.getByRole('dialog', { name: 'Make a key' }).getByLabel('Name').fill('nightly');
      await page.getByRole('button', { name: 'Make the key' }).click();
      const key = (await page.getByTestId('secret').textContent())!;
      await page.getByRole('button', { name: 'Copy' }).click();
      await page.getByText('Copied', { exact: true }).waitFor();
      expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(key);
      expect(await asked(key, 'query Nightly { companiesConnection { totalCount } }')).toBe(200);
      await page.keyboard.press('Escape');
      await page.getByTestId('secret').waitFor({ state: 'detached' });

      // The use of today is in the plot, and what the key did in its history.
      await page.reload();
      await use.last().waitFor();
      expect(await today()).toBe('1');
      await page.getByRole('button', { name: 'History of nightly' }).click();
      const history = page.getByRole('dialog', { name: 'History of nightly' });
      await history.getByRole('row').filter({ hasText: 'used' }).getByText('Nightly', { exact: true }).waitFor();
      await history.getByText('created', { exact: true }).waitFor();
      expect(await violations(page)).toEqual([]);
      await history.getByRole('button', { name: 'Done' }).click();

      await page.getByRole('button', { name: 'Rotate nightly' }).click();
      await page.getByRole('button', { name: 'Rotate the key' }).click();
      const rotated = (await page.getByTestId('secret').textContent())!;
      expect(rotated).not.toBe(key);
      expect(await asked(rotated, '{ __typename }')).toBe(200);
      await untilRefused(key);
      await page.keyboard.press('Escape');
      await page.getByTestId('secret').waitFor({ state: 'detached' });
      // The first one has no such button any more.
      await page.getByRole('button', { name: 'Revoke nightly' }).click();
      await page.getByRole('button', { name: 'Revoke the key' }).click();
      const states = page.getByRole('region', { name: 'Keys', exact: true }).getByText('revoked', { exact: true });
      await states.nth(1).waitFor();
      await untilRefused(rotated);
    });
    // An administrator sees who used the data, and the keys of that user.
    await visit({}, async (page) => {
      await signIn(page, admin, '/keys');
      const users = page.getByRole('region', { name: 'Users by data calls' });
      const row = users.getByRole('row').filter({ hasText: user.email });
      expect(await row.getByRole('cell').nth(2).textContent()).toBe('1');
      await row.getByRole('link', { name: user.email }).click();
      await page.waitForURL((url) => url.searchParams.get('user') === user.email);
      await page.getByRole('button', { name: 'History of nightly' }).first().waitFor();
      await page.getByLabel('Of the user').fill('nobody@example.com');
      await page.getByLabel('Of the user').press('Enter');
      await page.getByText('No key fits.').waitFor();
    });
  });

  it('invites a user and disables it', async () => {
    await visit({}, async (page) => {
      await signIn(page, admin);
      await open(page, 'Users');
      await page.getByRole('button', { name: 'Invite a user' }).click();
      const dialog = page.getByRole('dialog', { name: 'Invite a user' });
      await dialog.getByLabel('Email address').fill('grace@example.com');
      await dialog.getByLabel('Name').fill('Grace Hopper');
      await dialog.getByRole('button', { name: 'Invite', exact: true }).click();
      await dialog.getByText('grace@example.com gets a mail').waitFor();
      await dialog.getByRole('button', { name: 'Close', exact: true }).last().click();
      await page.getByRole('link', { name: 'grace@example.com' }).click();
      await page.getByRole('button', { name: 'Disable' }).click();
      await page.getByRole('button', { name: 'Disable the user' }).click();
      await page.getByText('disabled', { exact: true }).waitFor();
      await page.getByRole('button', { name: 'Enable' }).waitFor();
    });
  });

  it('shows who did what, by filters that are in the address', async () => {
    await visit({}, async (page) => {
      await signIn(page, admin);
      await open(page, 'Audit');
      const events = page.getByRole('region', { name: 'Events' });
      await events.getByRole('row').nth(2).waitFor();
      await page.getByLabel('Event', { exact: true }).fill('client.created');
      await page.getByLabel('Event', { exact: true }).press('Enter');
      await page.waitForURL((url) => url.searchParams.get('event') === 'client.created');
      await events.getByRole('cell', { name: 'demo-client', exact: true }).waitFor();
      const shown = await events.getByRole('row').locator('td:nth-child(2)').allTextContents();
      expect([...new Set(shown)]).toEqual(['client.created']);
      await page.goto(`${origin()}/audit?event=nothing.like.this`);
      await page.getByText('No event fits these filters.').or(page.getByRole('alert')).waitFor();
    });
  });

  it('shows a user without rights no more than that', async () => {
    await visit({}, async (page) => {
      await signIn(page, user);
      const menu = page.getByRole('navigation', { name: 'Screens' });
      expect(await menu.getByRole('link').allTextContents()).toEqual(['Overview', 'Data', 'Keys and usage']);
      await page.goto(`${origin()}/users`);
      await page.getByRole('heading', { name: 'You may not see this' }).waitFor();
    });
  });

  it('signs out here and at identity', async () => {
    await visit({}, async (page) => {
      await signIn(page, user);
      await page.getByRole('button', { name: 'Sign out' }).click();
      // Identity asks before it ends the session.
      await page.waitForURL((url) => url.port === String(platform.portBase));
      await page.getByRole('button', { name: 'Sign out', exact: true }).click();
      await page.getByRole('heading', { name: 'Console' }).waitFor();
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByLabel('Email address').waitFor();
    });
  });

  const screens = [
    ...[['/', 'Overview'] as const, ['/jobs', 'Jobs'] as const, ['/jobs?start=yes', 'Jobs'] as const],
    ...[['/months', 'Months'] as const, ['/keys?whose=all', 'Keys and usage'] as const, ['/users', 'Users'] as const],
    ...[
      ['/applications', 'Applications'] as const,
      ['/audit', 'Audit'] as const,
      ['/nothing', 'There is no such screen'] as const,
    ],
  ];

  it.each([360, 1280].flatMap((width) => (['light', 'dark'] as const).map((colorScheme) => ({ width, colorScheme }))))(
    'has no fault that axe-core finds at $width px, $colorScheme',
    async ({ width, colorScheme }) => {
      await visit({ viewport: { width, height: 800 }, colorScheme }, async (page) => {
        await page.goto(origin());
        await page.getByRole('button', { name: 'Sign in' }).waitFor();
        expect(await violations(page)).toEqual([]);
        await signIn(page, admin);
        for (const [path, heading] of screens) {
          await page.goto(origin() + path);
          await page.getByRole('heading', { name: heading, exact: true, includeHidden: true }).waitFor();
          await page.waitForLoadState('networkidle');
          expect([path, await violations(page)]).toEqual([path, []]);
          expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
        }
      });
    },
  );
});
