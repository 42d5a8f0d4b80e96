/// <reference lib="dom" />
// Keys and usage.
import { describe, expect, it } from '@jest/globals';
import { axeFaults } from '@tradewind/testkit';
import pg from 'pg';
import { accounts, openScreen, type ConsoleVisitor } from './console-visitor.js';

export function describeKeys(visitor: () => ConsoleVisitor): void {
  describe('keys and usage', () => {
    it('makes a key that works, shows what it did, rotates and revokes it', async () => {
      await visitor().visit({ permissions: ['clipboard-read', 'clipboard-write'] }, async (page) => {
        await visitor().signIn(page, accounts.user);
        await openScreen(page, 'Keys and usage');
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
        expect(await visitor().dataStatus(key, 'query Nightly { companiesConnection { totalCount } }')).toBe(200);
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
        expect(await axeFaults(page)).toEqual([]);
        await history.getByRole('button', { name: 'Done' }).click();

        await page.getByRole('button', { name: 'Rotate nightly' }).click();
        await page.getByRole('button', { name: 'Rotate the key' }).click();
        const rotated = (await page.getByTestId('secret').textContent())!;
        expect(rotated).not.toBe(key);
        expect(await visitor().dataStatus(rotated)).toBe(200);
        await visitor().untilRefused(key);
        await page.keyboard.press('Escape');
        await page.getByTestId('secret').waitFor({ state: 'detached' });
        // The first one has no such button any more.
        await page.getByRole('button', { name: 'Revoke nightly' }).click();
        await page.getByRole('button', { name: 'Revoke the key' }).click();
        const states = page.getByRole('region', { name: 'Keys', exact: true }).getByText('revoked', { exact: true });
        await states.nth(1).waitFor();
        await visitor().untilRefused(rotated);
      });
      // An administrator sees who used the data, and the keys of that user.
      await visitor().visitAs(accounts.admin, '/keys', async (page) => {
        const users = page.getByRole('region', { name: 'Users by data calls' });
        const row = users.getByRole('row').filter({ hasText: accounts.user.email });
        expect(await row.getByRole('cell').nth(2).textContent()).toBe('1');
        await row.getByRole('link', { name: accounts.user.email }).click();
        await page.waitForURL((url) => url.searchParams.get('user') === accounts.user.email);
        await page.getByRole('button', { name: 'History of nightly' }).first().waitFor();
        await page.getByLabel('Of the user').fill('nobody@example.com');
        await page.getByLabel('Of the user').press('Enter');
        await page.getByText('No key fits.').waitFor();
      });
    });

    it('shows an administrator which keys of others expire soon', async () => {
      await visitor().visitAs(accounts.user, '/keys', async (page) => {
        await page.getByRole('button', { name: 'Make a key' }).click();
        await page.getByRole('dialog', { name: 'Make a key' }).getByLabel('Name').fill('yearly');
        await page.getByRole('button', { name: 'Make the key' }).click();
        await page.getByTestId('secret').waitFor();
      });
      const database = new pg.Client({ connectionString: visitor().platform.databaseUrl });
      await database.connect();
      await database.query(
        `update graphql_gateway.api_key
         set created_at = now() - interval '1 year', expires_at = now() + interval '5 days' where name = 'yearly'`,
      );
      await database.end();
      await visitor().visitAs(accounts.admin, '/', async (page) => {
        const point = page.getByRole('listitem').filter({ hasText: 'of other users expires within two weeks.' });
        await point.getByRole('link', { name: '1 key', exact: true }).click();
        await page.getByRole('heading', { name: 'Keys that expire soon' }).waitFor();
        const keys = page.getByRole('region', { name: 'Keys', exact: true });
        await keys.getByRole('row').filter({ hasText: 'yearly' }).getByText(accounts.user.email).waitFor();
      });
    });
  });
}
