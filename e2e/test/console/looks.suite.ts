// Every screen in every width and colour scheme, with what the suites before left in it.
import { describe, expect, it } from '@jest/globals';
import { accounts, faultsInAllLooks, type ConsoleVisitor } from './console-visitor.js';

const paths = [
  ...[
    '/',
    '/jobs',
    '/jobs?start=yes',
    '/jobs/costs',
    '/jobs/costs/console-budget',
    '/jobs/costs/console-budget?set=yes',
  ],
  ...['/months', '/months/dead-letters?show=all', '/months/dead-letters/1', '/months/unusable-webhooks'],
  ...['/months/profiles?username=to-redrive', '/keys?whose=all', '/users', '/users?invite=yes', '/sessions'],
  ...['/applications', '/applications?make=yes', '/applications/demo-client', '/applications/demo-client?edit=yes'],
  ...['/signing-keys', '/signing-keys?rotate=yes', '/audit?from=2020-01-01', '/nothing'],
];

export function describeLooks(visitor: () => ConsoleVisitor): void {
  describe('no fault in any width and colour scheme', () => {
    it('before the sign-in', async () => {
      await visitor().visit({}, async (page) => {
        await page.goto(visitor().origin);
        await page.getByRole('button', { name: 'Sign in' }).waitFor();
        expect(await faultsInAllLooks(page)).toEqual([]);
      });
    });

    it('on the screens of an administrator', async () => {
      await visitor().visitAs(accounts.admin, '/', async (page) => {
        const check = async (path: string) => {
          await page.getByRole('heading', { level: 1, includeHidden: true }).waitFor();
          await page.waitForLoadState('networkidle');
          expect([path, await faultsInAllLooks(page)]).toEqual([path, []]);
        };
        for (const path of paths) {
          await page.goto(visitor().origin + path);
          await check(path);
        }
        await page.goto(`${visitor().origin}/users?search=${accounts.admin.email}`);
        await page.getByRole('link', { name: accounts.admin.email }).click();
        await page.getByRole('region', { name: 'Sessions' }).waitFor();
        await page.getByRole('region', { name: 'Grants' }).waitFor();
        await check('/users/:user');
      });
    }, 240_000);
  });
}
