// Every screen in every width and colour scheme, with what the suites before left in it.
import { describe, expect, it } from '@jest/globals';
import { accounts, faultsInAllLooks, type ConsoleVisitor } from './console-visitor.js';

/** Each screen and what its heading says once it is there. */
const screens: readonly (readonly [path: string, heading: string | RegExp])[] = [
  ['/', 'Overview'],
  ['/jobs', 'Jobs'],
  ['/jobs?start=yes', 'Start jobs'],
  ['/jobs/costs', 'Costs and budgets'],
  ['/jobs/costs/console-budget', 'console-budget'],
  ['/jobs/costs/console-budget?set=yes', 'Budget of console-budget'],
  ['/months', 'Months'],
  ['/months/dead-letters?show=all', 'Months'],
  ['/months/dead-letters/1', 'Dead letter 1'],
  ['/months/unusable-webhooks', 'Months'],
  ['/months/profiles?username=to-redrive', 'Months'],
  ['/keys?whose=all', 'Keys and usage'],
  ['/users', 'Users'],
  ['/users?invite=yes', 'Invite a user'],
  ['/sessions', 'Sessions'],
  ['/applications', 'Applications'],
  ['/applications?make=yes', 'Make an application'],
  ['/applications/demo-client', 'Grants'],
  ['/applications/demo-client?edit=yes', /^Edit/],
  ['/signing-keys', 'Signing keys'],
  ['/signing-keys?rotate=yes', 'Let the next key sign?'],
  ['/audit?from=2020-01-01', 'Audit'],
  ['/nothing', 'There is no such screen'],
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
          await page.waitForLoadState('networkidle');
          expect([path, await faultsInAllLooks(page)]).toEqual([path, []]);
        };
        for (const [path, heading] of screens) {
          await page.goto(visitor().origin + path);
          await page.getByRole('heading', { name: heading, exact: true }).first().waitFor();
          await check(path);
        }
        await page.goto(`${visitor().origin}/users?search=${accounts.admin.email}`);
        await page.getByRole('link', { name: accounts.admin.email }).click();
        await page.getByRole('region', { name: 'Sessions' }).waitFor();
        await page.getByRole('region', { name: 'Grants' }).waitFor();
        await check('/users/:user');
      });
    }, 300_000);
  });
}
