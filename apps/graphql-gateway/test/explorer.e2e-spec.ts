/// <reference lib="dom" />
// The explorer page in a real browser: a key is pasted or made, an example is run, and nothing leaves the gateway.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { launchBrowser } from '@tradewind/testkit';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { examples } from '../src/explorer/examples.js';
import { startGateway, type TestGateway } from './support/gateway.js';
import { insertCompanies } from './support/records.js';

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
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, ...options });
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
    page.setDefaultTimeout(25_000);
    await page.goto(`${base}/explorer`);
    await page.locator('.graphiql-container').waitFor();
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
      await page.getByText('99999 of 100000 left').waitFor();
    });
  });

  it('offers every example, and says what is missing without a key', async () => {
    await visit(async (page) => {
      expect(await page.getByLabel('Example').locator('option').allTextContents()).toEqual(
        examples.map(({ title }) => title),
      );
      await run(page);
      await answer(page).getByText('Authorization header is missing').waitFor();
    });
  });

  it('fits every field and button on the screen of a phone', async () => {
    await visit(
      async (page) => {
        for (const control of await page.locator('header :is(input, button, select)').all()) {
          const { x, width } = (await control.boundingBox())!;
          expect([x >= 0, x + width <= 360]).toEqual([true, true]);
        }
      },
      { viewport: { width: 360, height: 740 } },
    );
  });

  it.each(['light', 'dark'] as const)('is %s all over where the system is', async (colorScheme) => {
    await visit(
      async (page) => {
        const [ground, text] = await page.locator('header').evaluate((header) => {
          const { backgroundColor, color } = getComputedStyle(header);
          return [backgroundColor, color].map((rgb) => Number(/\d+/.exec(rgb)?.[0]));
        });
        expect(ground! < text!).toBe(colorScheme === 'dark');
      },
      { colorScheme },
    );
  });

  it('makes a key for a user who logs in', async () => {
    const user = gateway.identity.addUser();
    await visit(async (page) => {
      await page.getByLabel('Email').fill(user.email);
      await page.getByLabel('Password').fill(user.password);
      await page.getByRole('button', { name: 'Make a key' }).click();
      await page.getByText('A key for one day').waitFor();
      expect(await page.getByLabel('API key').inputValue()).toMatch(/^svc_/);
      await run(page);
      await answer(page).getByText('Café Zürich').waitFor();
      // It stays beside the calls left, which later requests write.
      await page.getByText('99999 of 100000 left').waitFor();
      expect(await page.getByText('A key for one day').isVisible()).toBe(true);
    });
  });
});
