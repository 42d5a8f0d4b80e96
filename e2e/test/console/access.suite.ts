/// <reference lib="dom" />
// Who may see what, and what a stolen token is good for.
import { describe, expect, it } from '@jest/globals';
import { DpopKey } from '@tradewind/testkit';
import type { Request } from 'playwright-core';
import { accounts, openScreen, type ConsoleVisitor } from './console-visitor.js';

export function describeAccess(visitor: () => ConsoleVisitor): void {
  describe('access', () => {
    it('shows an administrator which services work, and stores no token', async () => {
      await visitor().visitAs(accounts.admin, '/', async (page) => {
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
      await visitor().visitAs(accounts.admin, '/', async (page) => {
        const isUsers = (request: Request) => request.url().includes('/admin/users') && request.method() === 'GET';
        const asked = page.waitForRequest(isUsers);
        await openScreen(page, 'Users');
        const sent = await (await asked).allHeaders();
        const url = (await asked).url();
        const token = /^DPoP (.+)$/.exec(sent['authorization']!)![1]!;
        const status = async (headers: Record<string, string>, address = url) =>
          (await fetch(address, { headers })).status;
        expect(await status({ authorization: `Bearer ${token}` })).toBe(401);
        expect(await status({ authorization: `DPoP ${token}` })).toBe(401);
        // A proof that was sent once is good for that request, and for no other.
        const stolen = { authorization: `DPoP ${token}`, dpop: sent['dpop']! };
        expect(await status(stolen, `${visitor().platform.issuer}/admin/clients`)).toBe(401);
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

    it('binds access and refresh tokens to its key: both are of no use with another', async () => {
      await visitor().visit({}, async (page) => {
        const answers: { access_token: string; refresh_token: string }[] = [];
        page.on('response', (response) => {
          if (!response.url().endsWith('/oauth/token') || response.request().method() !== 'POST') return;
          void response.json().then((tokens: (typeof answers)[number]) => answers.push(tokens));
        });
        await visitor().signIn(page, accounts.admin);
        await openScreen(page, 'Users');
        await page.getByRole('link', { name: accounts.admin.email }).waitFor();
        const { access_token: access, refresh_token: refresh } = answers.at(-1)!;
        const thief = new DpopKey();
        const users = `${visitor().platform.issuer}/admin/users`;
        const asked = await fetch(users, {
          headers: { authorization: `DPoP ${access}`, dpop: thief.proof({ method: 'GET', url: users }, access) },
        });
        expect(asked.status).toBe(401);
        const token = `${visitor().platform.issuer}/oauth/token`;
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
          ((await (await fetch(`${visitor().origin}/settings.json`)).json()) as { client_id: string }).client_id;
        expect(await refreshed({})).toEqual([400, 'invalid_grant']);
        expect(await refreshed({ dpop: thief.proof({ method: 'POST', url: token }) })).toEqual([400, 'invalid_grant']);
        // The thief's attempts took nothing from the owner: the console renews with the same refresh token.
        await openScreen(page, 'Jobs');
        await page.getByRole('button', { name: 'Start jobs' }).waitFor();
        await page.getByText(/No jobs yet/).waitFor();
      });
    });

    it('shows a user without rights no more than that', async () => {
      await visitor().visitAs(accounts.user, '/', async (page) => {
        const menu = page.getByRole('navigation', { name: 'Screens' });
        expect(await menu.getByRole('link').allTextContents()).toEqual(['Overview', 'Data', 'Keys and usage']);
        await page.goto(`${visitor().origin}/users`);
        await page.getByRole('heading', { name: 'You may not see this' }).waitFor();
      });
    });

    it('shows the screens of administrators to nobody else', async () => {
      const paths = ['/users', '/sessions', '/sessions?user=5f0c1b6e-9d3a-4c52-8a80-2f6e0f4f7a11', '/applications'];
      await visitor().visitAs(accounts.user, '/', async (page) => {
        for (const path of [...paths, '/applications/demo-client', '/signing-keys', '/audit']) {
          await page.goto(visitor().origin + path);
          await page.getByRole('heading', { name: 'You may not see this' }).waitFor();
          expect(new URL(page.url()).pathname).toBe(path.split('?')[0]);
        }
      });
    });

    it('signs out here and at identity', async () => {
      await visitor().visitAs(accounts.user, '/', async (page) => {
        await page.getByRole('button', { name: 'Sign out' }).click();
        // Identity asks before it ends the session.
        await page.waitForURL((url) => url.port === String(visitor().platform.portBase));
        await page.getByRole('button', { name: 'Sign out', exact: true }).click();
        await page.getByRole('heading', { name: 'Console' }).waitFor();
        await page.getByRole('button', { name: 'Sign in' }).click();
        await page.getByLabel('Email address').waitFor();
      });
    });
  });
}
