/// <reference lib="dom" />
// The explorer page in a real browser: a key is pasted or made, an example is run, and nothing leaves the gateway.
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { axeFaults, launchBrowser } from '@tradewind/testkit';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { examples } from '../src/explorer/examples.js';
import { startGateway, type TestGateway } from './support/gateway.js';
import { insertCompanies } from './support/records.js';

// Two cores may be busy with other tests at the same time.
jest.setTimeout(120_000);

describe('explorer in Chromium', () => {
  let gateway: TestGateway;
  let browser: Browser;
  beforeAll(async () => {
    gateway = await startGateway();
    // A company that the first example finds.
    const { rows } = await gateway.sql.query<{ id: string }>(`select id from country where alpha2_code = 'US'`);
    await insertCompanies(gateway.sql, [
      { id: 7, name: 'Café Zürich', country_id: rows[0]!.id, number_of_employees: 2000, revenue_amount: 2_000_000_000 },
    ]);
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser.close();
    await gateway.close();
  });

  /** Opens the page and fails on script errors, on what its policy blocks, and on requests to other hosts. */
  async function visit(act: (page: Page) => Promise<void>, options: BrowserContextOptions = {}): Promise<void> {
    const page = await browser.newPage({ locale: 'en-GB', viewport: { width: 1280, height: 800 }, ...options });
    const faults: string[] = [];
    const base = gateway.replicas[0]!.url;
    page.on('pageerror', (error) => faults.push(error.message));
    page.on('console', (message) => {
      if (/Content Security Policy|Refused/i.test(message.text())) faults.push(message.text());
    });
    page.on('request', (request) => {
      if (!/^(data|blob):/.test(request.url()) && !request.url().startsWith(base)) faults.push(request.url());
    });
    // Less than the time of a test, so that a failure names the step that waits.
    page.setDefaultTimeout(50_000);
    await page.goto(`${base}/explorer`);
    await page.locator('.graphiql-query-editor .CodeMirror').waitFor();
    await act(page);
    expect(faults).toEqual([]);
    await page.close();
  }
  const run = (page: Page) => page.locator('button.graphiql-execute-button').click();
  const answer = (page: Page) => page.locator('.graphiql-response .CodeMirror-code');

  it('runs an example with a pasted key and shows the calls left for the day', async () => {
    const { key } = await gateway.newKey();
    await visit(async (page) => {
      await page.getByLabel('API key').fill(key);
      await page.getByLabel('API key').press('Tab');
      await run(page);
      await answer(page).getByText('Café Zürich').waitFor();
      await page.getByText('Data calls: 99,999 of 100,000 left today (UTC)').waitFor();
    });
  });

  it('offers every example, and says what is missing without a key', async () => {
    await visit(async (page) => {
      expect(await page.getByLabel('Example').locator('option').allTextContents()).toEqual(
        examples.map(({ title }) => title),
      );
      await run(page);
      await answer(page).getByText('Authorization header is missing').waitFor();
      await page.getByText('A request needs an API key').waitFor();
    });
  });

  it('opens without asking the API, and knows its schema before there is a key', async () => {
    const base = gateway.replicas[0]!.url;
    const page = await browser.newPage();
    page.setDefaultTimeout(50_000);
    const answers: [path: string, status: number][] = [];
    page.on('response', (response) => answers.push([new URL(response.url()).pathname, response.status()]));
    await page.goto(`${base}/explorer`);
    await page.getByRole('button', { name: 'Show Documentation Explorer' }).click();
    await page.getByRole('link', { name: 'CompanyConnection', exact: true }).waitFor();
    expect(answers.filter(([path, status]) => status >= 400 || path.startsWith('/graphql'))).toEqual([]);
    await page.close();
    const { data } = await gateway
      .data((await gateway.newKey()).key, '{ __schema { types { name } } }')
      .then(({ body }) => body as { data: { __schema: { types: { name: string }[] } } });
    const served = (await (await fetch(`${base}/explorer/schema.json`)).json()) as typeof data;
    const names = ({ __schema }: typeof data) => __schema.types.map(({ name }) => name).sort();
    expect(names(served)).toEqual(names(data));
  });

  it('keeps what was typed when the key changes, and copies the key', async () => {
    const { key } = await gateway.newKey();
    await visit(
      async (page) => {
        const editor = page.locator('.graphiql-query-editor .CodeMirror');
        await editor.click();
        await page.keyboard.press('Control+End');
        await page.keyboard.type('# typed');
        await page.getByLabel('API key').fill(key);
        await page.getByLabel('API key').press('Tab');
        await editor.getByText('# typed').waitFor();
        await page.getByRole('button', { name: 'Copy', exact: true }).click();
        await page.getByText('The key is copied.').waitFor();
        expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(key);
        await page.getByRole('button', { name: 'Show', exact: true }).click();
        expect(await page.getByLabel('API key').getAttribute('type')).toBe('text');
        const stored = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]));
        expect(stored).not.toContain(key);
        await page.reload();
        expect(await page.getByLabel('API key').inputValue()).toBe('');
      },
      { permissions: ['clipboard-read', 'clipboard-write'] },
    );
  });

  it.each([
    ['light', 1280],
    ['dark', 1280],
    ['light', 390],
    ['dark', 360],
  ] as const)('has no fault that axe-core finds, and fits: %s, %i px', async (colorScheme, width) => {
    const { key } = await gateway.newKey();
    const check = async (page: Page) => {
      expect(await axeFaults(page)).toEqual([]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
    };
    await visit(
      async (page) => {
        await page.getByText('No key yet?').click();
        await check(page);
        for (const control of await page.locator('.bar :is(input, button, select)').all()) {
          const { x, width: wide, height } = (await control.boundingBox())!;
          expect([x >= 0, x + wide <= width, height >= 44]).toEqual([true, true, true]);
        }
        await page.getByText('No key yet?').click();
        await page.getByLabel('API key').fill(key);
        await run(page);
        await answer(page).getByText('Café Zürich').waitFor();
        await check(page);
        // The answer is as wide as a phone, not half of it.
        const { width: wide } = (await page.locator('.graphiql-response').boundingBox())!;
        if (width < 400) expect(wide).toBeGreaterThan(width * 0.9);
        await page.getByRole('button', { name: 'Show Documentation Explorer' }).click();
        await page.getByRole('link', { name: 'CompanyConnection', exact: true }).waitFor();
        await check(page);
        // Its dialogs write a style element, which the policy lets pass by its nonce.
        await page.getByRole('button', { name: 'Open settings dialog' }).click();
        await page.getByRole('dialog').waitFor();
        await check(page);
      },
      { colorScheme, viewport: { width, height: 800 } },
    );
  });

  it.each(['light', 'dark'] as const)('is %s all over where the system is', async (colorScheme) => {
    await visit(
      async (page) => {
        for (const part of ['body', '.graphiql-editors']) {
          const [ground, text] = await page.locator(part).evaluate((element) => {
            const { backgroundColor, color } = getComputedStyle(element);
            return [backgroundColor, color].map((rgb) => Number(/\d+/.exec(rgb)?.[0]));
          });
          expect([part, ground! < text!]).toEqual([part, colorScheme === 'dark']);
        }
      },
      { colorScheme },
    );
  });

  it('makes a key for a user who logs in', async () => {
    const user = gateway.identity.addUser();
    await visit(async (page) => {
      await page.getByText('No key yet?').click();
      await page.getByLabel('Email').fill(user.email);
      await page.getByLabel('Password').fill('a wrong one');
      await page.getByRole('button', { name: 'Make a key' }).click();
      await page.getByText('Invalid credentials').waitFor();
      await page.getByLabel('Password').fill(user.password);
      await page.getByRole('button', { name: 'Make a key' }).click();
      await page.getByText('A key for one day').waitFor();
      expect(await page.getByLabel('API key').inputValue()).toMatch(/^svc_/);
      await run(page);
      await answer(page).getByText('Café Zürich').waitFor();
      await page.getByText('Data calls: 99,999 of 100,000 left today (UTC)').waitFor();
      expect(await page.getByText('A key for one day').isVisible()).toBe(true);
    });
  });
});
