// Links of mails in Chromium: a reset from the login page to the new password, without scripts, and how the pages look.
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { launchBrowser, MailCatcher } from '@tradewind/testkit';
import type { Browser, Page } from 'playwright-core';
import { checkLayout } from './page-checks.js';
import { startIdentity, type Identity } from './identity.fixture.js';

describe('links of mails in Chromium', () => {
  let identity: Identity;
  let browser: Browser;
  let catcher: MailCatcher;
  beforeAll(async () => {
    catcher = await MailCatcher.start();
    identity = await startIdentity({ SMTP_URL: catcher.url });
    browser = await launchBrowser();
  }, 60_000);
  afterAll(async () => {
    await browser.close();
    await identity.close();
    await catcher.close();
  });

  async function linkTo(address: string): Promise<string> {
    for (const deadline = performance.now() + 20_000; performance.now() < deadline; await sleep(50)) {
      const link = /http:\S+/.exec(catcher.mailTo(address)?.text ?? '')?.[0];
      if (link !== undefined) return link;
    }
    throw new Error('no mail came');
  }

  it.each([
    ['light', 1280, 'en-GB', false],
    ['dark', 1280, 'de-DE', true],
    ['light', 360, 'fr-FR', true],
    ['dark', 360, 'en-GB', true],
    ['dark', 320, 'es-ES', true],
  ] as const)(
    'a password is reset: %s, %i px, %s, with scripts: %s',
    async (colorScheme, width, locale, javaScriptEnabled) => {
      const { email } = await identity.createUser();
      const context = await browser.newContext({
        ...{ colorScheme, locale, javaScriptEnabled, viewport: { width, height: 800 } },
      });
      const page: Page = await context.newPage();
      const faults: string[] = [];
      page.on('console', (message) => {
        if (/Content Security Policy|Refused/i.test(message.text())) faults.push(message.text());
      });
      const submit = async () => {
        await page.locator('form .primary').click();
        await page.locator('h1').waitFor();
        await checkLayout(page, width);
      };
      await page.goto(`${identity.issuer}/account`);
      await page.locator('a[href="/account/forgotten"]').click();
      await page.locator('#email').waitFor();
      await checkLayout(page, width);
      await page.locator('#email').fill(email);
      await submit();
      const link = await linkTo(email);
      await page.goto(link);
      await checkLayout(page, width);
      await page.locator('#new_password').fill('another long password');
      await page.locator('#repeated').fill('a different password');
      await submit();
      await page.locator('[role=alert]:focus').waitFor();
      await page.locator('#new_password').fill('another long password');
      await page.locator('#repeated').fill('another long password');
      await submit();
      await page.locator('.links a').click();
      await page.locator('#email').fill(email);
      await page.locator('#password').fill('another long password');
      await page.locator('form[action$="/submit"] .primary').click();
      await page.locator('.menu').waitFor();
      await page.goto(link);
      await checkLayout(page, width);
      expect(faults).toEqual([]);
      await context.close();
    },
    60_000,
  );
});
