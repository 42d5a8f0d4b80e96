import { expect, it } from '@jest/globals';
import { launchBrowser } from './browser.js';

it('starts a Chromium that renders a page', async () => {
  const browser = await launchBrowser();
  try {
    const page = await browser.newPage();
    await page.setContent('<title>ready</title>');
    expect(await page.title()).toBe('ready');
  } finally {
    await browser.close();
  }
});
