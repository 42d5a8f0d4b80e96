/// <reference lib="dom" />
// What a person sees who opens the address of a service in Chromium: its front page, the reference of its API, and an
// address with nothing behind it. In both colour schemes, on a phone and on a desk.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { faultsInLooks, launchBrowser, type Look, pageFaults } from '@tradewind/testkit';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import type { PlatformProcess } from '../../src/platform-process.js';
import { serviceNames } from '../../src/service-names.js';

const titles: Record<(typeof serviceNames)[number], [english: string, spanish: string]> = {
  identity: ['Sign-in service', 'Servicio de inicio de sesión'],
  'graphql-gateway': ['Data API', 'API de datos'],
  interactions: ['Scraping jobs', 'Tareas de extracción'],
  'priority-api': ['Profiles of a month', 'Perfiles de un mes'],
  'priority-webhook': ['Scraped profiles', 'Perfiles extraídos'],
  coordinator: ['Monthly runs', 'Ejecuciones mensuales'],
};

const looks: readonly Look[] = [1280, 360].flatMap((width) =>
  (['light', 'dark'] as const).map((colorScheme) => ({ width, colorScheme })),
);

export function describeServicePages(platform: () => PlatformProcess): void {
  describe('pages of the services in Chromium', () => {
    let browser: Browser;
    beforeAll(async () => {
      browser = await launchBrowser();
    });
    afterAll(async () => browser?.close());

    /** Fails on script errors, on what the policy of a page blocks, and on requests to other hosts. */
    async function visit(options: BrowserContextOptions, act: (page: Page) => Promise<void>): Promise<void> {
      const context = await browser.newContext({ locale: 'en-GB', ...options });
      const page = await context.newPage();
      page.setDefaultTimeout(30_000);
      const faults: string[] = [];
      page.on('pageerror', ({ message }) => faults.push(message));
      page.on('console', (message) => {
        if (/Content Security Policy|Refused/i.test(message.text())) faults.push(message.text());
      });
      page.on('request', (request) => {
        if (!/^(data|blob):|^http:\/\/(localhost|127\.0\.0\.1):/.test(request.url())) faults.push(request.url());
      });
      try {
        await act(page);
        expect(faults).toEqual([]);
      } finally {
        await context.close();
      }
    }
    const faultsOf = async (page: Page) => {
      const faults: string[] = [];
      for (const { width, colorScheme } of looks) {
        await page.setViewportSize({ width, height: 800 });
        await page.emulateMedia({ colorScheme });
        faults.push(...(await pageFaults(page, width)));
      }
      return faults;
    };

    it.each(serviceNames)('%s links what there is, and says where there is nothing', async (name) => {
      await visit({}, async (page) => {
        const url = platform().url(name);
        await page.goto(url);
        await page.getByRole('heading', { name: titles[name][0], level: 1 }).waitFor();
        expect(await faultsOf(page)).toEqual([]);
        const paths = await page.locator('.menu a').evaluateAll((links) => links.map((a) => a.getAttribute('href')));
        expect(paths).toContain('/docs');
        for (const path of paths) {
          // The account asks for a sign-in first.
          const { status } = await fetch(url + path, { redirect: 'manual' });
          expect([path, status < 400]).toEqual([path, true]);
        }
        await page.goto(`${url}/no/such/path`);
        expect(await faultsOf(page)).toEqual([]);
        await page.getByRole('link').click();
        await page.getByRole('heading', { name: titles[name][0], level: 1 }).waitFor();
      });
    });

    it('speaks the language of the browser', async () => {
      await visit({ locale: 'es-MX' }, async (page) => {
        for (const name of serviceNames) {
          await page.goto(platform().url(name));
          await page.getByRole('heading', { name: titles[name][1], level: 1 }).waitFor();
        }
      });
    });

    it.each(serviceNames)('%s shows its API', async (name) => {
      await visit({}, async (page) => {
        await page.goto(`${platform().url(name)}/docs`);
        await page.locator('.opblock-summary-control').first().click();
        await page.locator('.opblock-body').first().waitFor();
        expect(await faultsInLooks(page, looks)).toEqual([]);
      });
    });
  });
}
