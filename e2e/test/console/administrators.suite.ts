// What an administrator does: users, applications, sessions, grants and the audit log.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { accounts, openScreen, type ConsoleVisitor } from './console-visitor.js';

export function describeAdministrators(visitor: () => ConsoleVisitor): void {
  describe('administrators', () => {
    const fact = (page: Page, name: string) =>
      page
        .locator('dl > div')
        .filter({ has: page.getByText(name, { exact: true }) })
        .locator('dd');

    it('invites a user and disables it', async () => {
      await visitor().visitAs(accounts.admin, '/', async (page) => {
        await openScreen(page, 'Users');
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

    it('invites a user, moves it to a company, makes a link for it and disables it', async () => {
      await visitor().visitAs(accounts.admin, '/', async (page) => {
        await page.goto(`${visitor().origin}/users?invite=yes`);
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
        await page.goto(`${visitor().origin}/users?company=acme&role=ANALYST`);
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
        const response = await fetch(`${visitor().platform.issuer}/oauth/token`, {
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
      await visitor().visitAs(accounts.admin, '/', async (page) => {
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
        await page.goto(`${visitor().origin}/applications/console-reports`);
        await page.getByRole('heading', { name: 'This does not exist' }).waitFor();
      });
    });

    it('ends one session of a user, and then all of them with the grants', async () => {
      await visitor().visitAs(accounts.admin, '/', async (page) => {
        await openScreen(page, 'Sessions');
        await page.getByLabel('Address of the user begins with').fill(accounts.leaver.email);
        await page.getByLabel('Address of the user begins with').press('Enter');
        const signedOut = page.getByText('The user is signed in nowhere.');
        await visitor().visit({ userAgent: 'Browser of the user' }, async (theirs) => {
          await visitor().signIn(theirs, accounts.leaver);
          await page.getByRole('link', { name: accounts.leaver.email }).click();
          const sessions = page.getByRole('region', { name: 'Sessions' });
          await sessions.getByText('Browser of the user').waitFor();
          await page.getByRole('button', { name: /^End the session/ }).click();
          await page.getByRole('button', { name: 'End the session', exact: true }).click();
          await signedOut.waitFor();
          await theirs.reload();
          await theirs.getByLabel('Password', { exact: true }).waitFor();
        });
        await visitor().visitAs(accounts.leaver, '/', async (theirs) => {
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
      await visitor().visitAs(accounts.leaver, '/', async (theirs) => {
        await visitor().visitAs(accounts.admin, '/', async (page) => {
          await page.goto(`${visitor().origin}/applications`);
          await page.getByRole('link', { name: /console/ }).click();
          // Its grants: one of the administrator, at least one of the user.
          await page.getByRole('region', { name: 'Grants' }).getByRole('row').nth(2).waitFor();
          await page.goto(`${visitor().origin}/users?search=${accounts.leaver.email}`);
          await page.getByRole('link', { name: accounts.leaver.email }).click();
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

    it('shows who did what, by filters that are in the address', async () => {
      await visitor().visitAs(accounts.admin, '/', async (page) => {
        await openScreen(page, 'Audit');
        const events = page.getByRole('region', { name: 'Events' });
        await events.getByRole('row').nth(2).waitFor();
        await page.getByLabel('Event', { exact: true }).fill('client.created');
        await page.getByLabel('Event', { exact: true }).press('Enter');
        await page.waitForURL((url) => url.searchParams.get('event') === 'client.created');
        await events.getByRole('cell', { name: 'demo-client', exact: true }).waitFor();
        const shown = await events.getByRole('row').locator('td:nth-child(2)').allTextContents();
        expect(new Set(shown)).toEqual(new Set(['client.created']));
        await page.goto(`${visitor().origin}/audit?event=nothing.like.this`);
        await page.getByText('No event fits these filters.').or(page.getByRole('alert')).waitFor();
      });
    });

    it('finds events by filters that are in the address, and saves all of them', async () => {
      await visitor().visit({ acceptDownloads: true }, async (page) => {
        await visitor().signIn(page, accounts.admin);
        await openScreen(page, 'Audit');
        const event = page.getByLabel('Event', { exact: true });
        await event.fill('login.succeeded');
        await event.press('Enter');
        await page.waitForURL((url) => url.searchParams.get('event') === 'login.succeeded');
        const today = await page.evaluate(() => new Date().toLocaleDateString('en-CA'));
        await page.goto(`${visitor().origin}/audit?event=login.succeeded&from=${today}&until=${today}`);
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
        await page.goto(`${visitor().origin}/audit?until=2020-01-01`);
        await page.getByText('No event fits these filters.').waitFor();
        await page.goto(`${visitor().origin}/audit?from=yesterday`);
        await page.getByRole('alert').getByText('since').waitFor();
      });
    });

    it('shows an administrator the last days in charts, each with a table', async () => {
      await visitor().visitAs(accounts.admin, '/', async (page) => {
        const days = page.getByRole('region', { name: 'Last 30 days' });
        for (const name of ['Jobs by outcome', 'Items stored', 'Cost', 'Data calls', 'Sign-ins']) {
          const rows = days.getByRole('table', { name: `${name} by day` }).getByRole('row');
          await rows.nth(30).waitFor({ state: 'attached' });
          expect(await rows.count()).toBe(31);
        }
        const today = days.getByRole('table', { name: 'Sign-ins by day' }).getByRole('row').last();
        expect(await today.getByRole('rowheader').textContent()).toBe(new Date().toISOString().slice(0, 10));
        expect(Number(await today.getByRole('cell').first().textContent())).toBeGreaterThan(0);
      });
    });
  });
}
