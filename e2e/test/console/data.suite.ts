/// <reference lib="dom" />
// The Data screen.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { axeFaults } from '@tradewind/testkit';
import type { Locator, Page, Response } from 'playwright-core';
import { accounts, callsPerDay, faultsInAllLooks, openScreen, type ConsoleVisitor } from './console-visitor.js';

const run = promisify(execFile);

export function describeData(visitor: () => ConsoleVisitor): void {
  describe('data', () => {
    const condition = (page: Page, number: number) => page.getByRole('group', { name: `Condition ${number}:` });

    const addCondition = async (page: Page, number: number, field: string): Promise<Locator> => {
      await page.getByRole('button', { name: 'Add a condition' }).click();
      await condition(page, number).getByRole('combobox', { name: 'Field' }).selectOption(field);
      return condition(page, number);
    };

    const ask = (page: Page) => page.getByRole('button', { name: 'Ask', exact: true }).click();

    const spend = (page: Page) => page.getByRole('button', { name: 'Spend one call' }).click();

    const records = (page: Page) => page.getByRole('region', { name: 'Records', exact: true }).getByRole('row');

    const copied = (page: Page) => page.evaluate(() => navigator.clipboard.readText());

    /** @returns the key, which the page itself does not show */
    async function makeKey(page: Page): Promise<string> {
      const isMade = (response: Response) => response.url().endsWith('/keys') && response.request().method() === 'POST';
      const made = page.waitForResponse(isMade);
      await page.getByRole('button', { name: 'Make a key for a day' }).click();
      return ((await (await made).json()) as { key: string }).key;
    }

    const permissions = ['clipboard-read', 'clipboard-write'];

    it('builds a filter with suggested names, asks before each call, and shows pages, the card and the exact count', async () => {
      await visitor().visit({ permissions }, async (page) => {
        await visitor().signIn(page, accounts.caller);
        await openScreen(page, 'Data');
        await page.getByText(`${callsPerDay} of ${callsPerDay} calls left today`).waitFor();
        const revenue = await addCondition(page, 1, 'revenue');
        await ask(page);
        // Nothing is asked, and the person is led to what is missing.
        await revenue.getByText('Enter a value.').waitFor();
        // In the frame after the message.
        await page.waitForFunction(() => document.activeElement?.getAttribute('aria-label') === 'Revenue, value');
        await revenue.getByRole('textbox', { name: 'Revenue, value' }).fill('1,000,000');
        const country = await addCondition(page, 2, 'country');
        await country.getByRole('combobox', { name: 'Country, value' }).fill('united st');
        await page.getByRole('option', { name: 'United States', exact: true }).click();

        await ask(page);
        const key = await makeKey(page);
        const dialog = page.getByRole('dialog', { name: 'Spend one data call?' });
        await dialog.getByText(`You have ${callsPerDay} of ${callsPerDay} left today.`).waitFor();
        await dialog.getByRole('button', { name: 'Cancel' }).click();
        await page.getByText('Nothing asked yet.').waitFor();
        await ask(page);
        await spend(page);
        const count = page.getByText(/^[\d,]+ companies match\./);
        await count.waitFor();
        expect(Number(/^[\d,]+/.exec((await count.textContent())!)![0].replaceAll(',', ''))).toBeGreaterThan(10);
        await page.getByText(`${callsPerDay - 1} of ${callsPerDay} calls left today`).waitFor();
        // The head, and the one record of a page.
        expect(await records(page).count()).toBe(2);

        await page.getByRole('button', { name: 'Next page, one more call' }).click();
        await spend(page);
        await page.getByText(`${callsPerDay - 2} of ${callsPerDay} calls left today`).waitFor();
        expect(await records(page).count()).toBe(3);
        const second = await records(page).nth(2).getByRole('button').textContent();
        await records(page).nth(2).getByRole('button').click();
        const card = page.getByRole('article');
        await card.getByRole('heading', { name: second!, exact: true }).waitFor();
        await card.getByText('United States', { exact: true }).waitFor();
        await card.getByText('2 of 2 here').waitFor();
        await card.getByRole('button', { name: 'Previous' }).click();
        await card.getByText('1 of 2 here').waitFor();

        // The filter is in the address; the key is in no address and no storage.
        const url = new URL(page.url());
        expect(JSON.parse(url.searchParams.get('where')!)).toEqual([
          ['revenue', 'MORE_OR_EQUALS_THAN', '1,000,000'],
          ['country', 'IS_ANY_OF', 'United States'],
        ]);
        const places = await page.evaluate(() =>
          JSON.stringify([location.href, history.state, { ...localStorage }, { ...sessionStorage }, document.cookie]),
        );
        expect(places).not.toContain('svc_');
        expect(key).toMatch(/^svc_/);

        // What was asked is still there after another screen, and costs nothing.
        await openScreen(page, 'Overview');
        await page.goBack();
        await count.waitFor();
        await page.getByText(`${callsPerDay - 2} of ${callsPerDay} calls left today`).waitFor();

        // The copied command works, with a key of the environment.
        await page.getByRole('tab', { name: 'curl' }).click();
        await page.getByRole('button', { name: 'Copy' }).click();
        await page.getByText('Copied').waitFor();
        const command = await copied(page);
        expect(command).not.toContain('svc_');
        const { stdout } = await run('sh', ['-c', command], { env: { ...process.env, API_KEY: key } });
        const answer = JSON.parse(stdout) as { data: { companiesConnection: { totalCount: number } } };
        expect(`${answer.data.companiesConnection.totalCount.toLocaleString('en')} companies match.`).toBe(
          /^[\d,]+ companies match\./.exec((await count.textContent())!)![0],
        );
        // Another program has spent a call, and the screen finds out.
        await page.reload();
        await page.getByText(`${callsPerDay - 3} of ${callsPerDay} calls left today`).waitFor();
      });
    });

    it('says what the data API refuses: a filter, a key, and calls that are spent', async () => {
      await visitor().visitAs(
        accounts.admin,
        `/data?${new URLSearchParams({ where: '[["country","IS","Atlantis"]]' }).toString()}`,
        async (page) => {
          await ask(page);
          await makeKey(page);
          await spend(page);
          const alert = page.getByRole('alert');
          await alert.getByText('The data API does not take this filter').waitFor();
          await alert.getByText(/there is no country "Atlantis"/).waitFor();
          // It cost nothing.
          await page.getByText(`${callsPerDay} of ${callsPerDay} calls left today`).waitFor();
          expect(await axeFaults(page)).toEqual([]);

          // The key is revoked, and the filter stays.
          await page.getByRole('button', { name: 'Revoke', exact: true }).click();
          await page.getByRole('button', { name: 'Set a key' }).click();
          const dialog = page.getByRole('dialog', { name: 'A key for this page' });
          await dialog.getByLabel('Or paste one that you have').fill('no key');
          await dialog.getByRole('button', { name: 'Use this key' }).click();
          await dialog.getByText('An API key begins with svc_').waitFor();
          await dialog.getByLabel('Or paste one that you have').fill(`svc_${'x'.repeat(49)}`);
          await dialog.getByRole('button', { name: 'Use this key' }).click();
          await dialog.getByText('The data API does not take this key.').waitFor();
          expect(await axeFaults(page)).toEqual([]);
          const key = await makeKey(page);

          // A key that somebody revokes elsewhere meanwhile.
          await condition(page, 1).getByRole('button', { name: 'Remove condition 1: Country' }).click();
          const begins = (await page.locator('.key-in-use code').textContent())!.slice(0, 8);
          await openScreen(page, 'Keys and usage');
          await page
            .getByRole('row')
            .filter({ hasText: begins })
            .getByRole('button', { name: /^Revoke/ })
            .click();
          await page.getByRole('button', { name: 'Revoke the key' }).click();
          await page.getByRole('row').filter({ hasText: begins }).getByText('revoked', { exact: true }).waitFor();
          await page.goBack();
          await visitor().untilRefused(key);
          await ask(page);
          await spend(page);
          await alert.getByText('The data API does not take this key').waitFor();
          await alert.getByRole('button', { name: 'Use another key' }).click();
          await makeKey(page);

          const left = async () => Number((await page.getByText(/calls left today/).textContent())!.split(' ')[0]);
          for (let tries = 0; tries < callsPerDay && (await left()) > 0; tries++) {
            const before = await left();
            await ask(page);
            await spend(page);
            await page.getByText(`${before - 1} of ${callsPerDay} calls left today`).waitFor();
          }
          expect(await page.getByRole('button', { name: 'Ask', exact: true }).isDisabled()).toBe(true);
        },
      );
    });

    it('a shared link has the whole filter, and what it does not know is said and left out', async () => {
      const where = [
        ['type', 'IS_ANY_OF', 'SPONSORSHIP', 'MEDIA'],
        ['announcedDate', 'BETWEEN', '2020-01-01', '2026-12-31'],
        ['isExclusive', 'IS', 'false'],
        ['notAField', 'IS', 'x'],
      ];
      const search = { of: 'deals', where: JSON.stringify(where), sort: 'announcedDate', direction: 'descending' };
      await visitor().visitAs(accounts.caller, `/data?${new URLSearchParams(search).toString()}`, async (page) => {
        await page.getByText('left it out').waitFor();
        await condition(page, 1).getByText('Sponsorship', { exact: true }).waitFor();
        expect(await condition(page, 2).getByLabel('Announced date, value, to').inputValue()).toBe('2026-12-31');
        expect(await condition(page, 3).getByLabel('Is exclusive, value').inputValue()).toBe('false');
        expect(await condition(page, 4).count()).toBe(0);
        expect(await page.getByLabel('Direction').inputValue()).toBe('descending');
        const variables = await page.getByRole('region', { name: 'Variables' }).textContent();
        expect(JSON.parse(variables!)).toEqual({
          searchFilters: {
            type: [{ values: ['SPONSORSHIP', 'MEDIA'], comparison: 'IS_ANY_OF' }],
            announcedDate: [{ values: ['2020-01-01', '2026-12-31'], comparison: 'BETWEEN' }],
            isExclusive: [{ values: [false], comparison: 'IS' }],
          },
          sorters: [{ field: 'announcedDate', direction: 'DESC' }],
        });
        // Back leads to the filter before.
        await page.getByRole('link', { name: 'Contacts', exact: true }).click();
        await page.getByText('No conditions: everything matches.').waitFor();
        await page.goBack();
        await condition(page, 1).getByText('Sponsorship', { exact: true }).waitFor();
      });
    });

    it('revokes the key that it made when the person signs out', async () => {
      await visitor().visitAs(accounts.caller, '/data', async (page) => {
        await page.getByRole('button', { name: 'Set a key' }).click();
        const key = await makeKey(page);
        await page.locator('.key-in-use code').waitFor();
        expect(await visitor().dataStatus(key)).toBe(200);
        await page.getByRole('button', { name: 'Sign out' }).click();
        await page.waitForURL((url) => url.port === String(visitor().platform.portBase));
        await visitor().untilRefused(key);
      });
    });

    it('is worked by the keyboard alone', async () => {
      await visitor().visitAs(accounts.caller, '/data?of=persons', async (page) => {
        await page.getByRole('button', { name: 'Add a condition' }).focus();
        await page.keyboard.press('Enter');
        // The focus is in the new row.
        await page.waitForFunction(() => document.activeElement?.getAttribute('aria-label') === 'Field');
        await page.keyboard.type('Skills');
        await page.keyboard.press('Tab');
        await page.keyboard.press('Tab');
        await page.keyboard.type('nego');
        await page.getByRole('option', { name: /^Nego/ }).first().waitFor();
        await page.keyboard.press('Enter');
        await page.waitForURL((url) => /Nego/.test(url.searchParams.get('where') ?? ''));
        await page.getByRole('button', { name: 'Remove condition 1: Skills' }).focus();
        await page.keyboard.press('Enter');
        expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Add a condition');
      });
    });

    it('has no fault in any width and colour scheme', async () => {
      const where = JSON.stringify([
        ['skills', 'IS_ANY_OF', 'Negotiation'],
        ['age', 'BETWEEN', '30', '20'],
        ['gender', 'IS_ANY_OF', 'FEMALE'],
        ['birthDate', 'IS_ANY_OF', '1980-01-01'],
      ]);
      const path = `/data?${new URLSearchParams({ of: 'persons', where }).toString()}`;
      await visitor().visitAs(accounts.caller, path, async (page) => {
        const check = async (what: string) => expect([what, await faultsInAllLooks(page)]).toEqual([what, []]);
        await page.getByText('calls left today').waitFor();
        await check('conditions');
        await ask(page);
        await page.getByText('The first value must not be above the second.').waitFor();
        await check('a fault');
        await page.getByLabel('Age, value, from').fill('10');
        const skills = condition(page, 1).getByRole('combobox', { name: 'Skills, value' });
        // More than the list can show at once.
        await skills.click();
        await page.getByRole('listbox').getByRole('option').nth(9).waitFor();
        await check('all suggestions');
        await skills.fill('a');
        await page.getByRole('listbox').getByRole('option').first().waitFor();
        await check('suggestions');
        await page.keyboard.press('Escape');
        await page.getByText(/^Fields of a record/).click();
        for (const tab of ['curl', 'TypeScript']) {
          await page.getByRole('tab', { name: tab }).click();
          await check(tab);
        }
        for (const entity of ['companies', 'deals', 'contacts']) {
          await page.goto(`${visitor().origin}/data?of=${entity}`);
          await page.getByText('calls left today').waitFor();
          await page.getByRole('button', { name: 'Add a condition' }).click();
          await check(entity);
        }
      });
    });
  });
}
