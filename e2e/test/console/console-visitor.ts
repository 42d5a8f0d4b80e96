/// <reference lib="dom" />
// A person with a browser at the console: signs in, opens screens, and is checked for faults of accessibility.
import { faultsInLooks, faultsInWidth, type Look } from '@tradewind/testkit';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { until } from '../../src/http.js';
import type { PlatformProcess } from '../../src/platform-process.js';

export interface Account {
  email: string;
  password: string;
}

/** The first two are of the local platform. The suites that count calls or sessions have users of their own. */
export const accounts = {
  admin: { email: 'admin@example.com', password: 'admin-password-1' },
  user: { email: 'demo@example.com', password: 'demo-password-1' },
  caller: { email: 'caller@example.com', password: 'caller-password-1' },
  leaver: { email: 'leaver@example.com', password: 'leaver-password-1' },
} as const satisfies Record<string, Account>;

export const callsPerDay = 6;

export class ConsoleVisitor {
  constructor(
    readonly platform: PlatformProcess,
    private readonly browser: Browser,
  ) {}

  get origin(): string {
    return `http://localhost:${this.platform.portBase + 6}`;
  }

  /** Runs a visit in a browser context of its own. Throws when the page had an error or broke its own policy. */
  async visit<T>(options: BrowserContextOptions, act: (page: Page) => Promise<T>): Promise<T> {
    // Pages do the same without motion, for which the browser and every click would wait.
    const context = await this.browser.newContext({ locale: 'en-GB', reducedMotion: 'reduce', ...options });
    const page = await context.newPage();
    page.setDefaultTimeout(30_000);
    const faults: string[] = [];
    page.on('pageerror', ({ message }) => faults.push(message));
    page.on('console', (message) => {
      if (/Content Security Policy|Refused to/i.test(message.text())) faults.push(message.text());
    });
    try {
      const result = await act(page);
      if (faults.length > 0) throw new Error(faults.join('\n'));
      return result;
    } finally {
      await context.close();
    }
  }

  /** @param path of the screen to begin with */
  async signIn(page: Page, { email, password }: Account, path = '/'): Promise<void> {
    await page.goto(this.origin + path);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByLabel('Email address').fill(email);
    await page.getByLabel('Password', { exact: true }).fill(password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    // Only the first time: identity remembers what was allowed.
    const allow = page.getByRole('button', { name: 'Allow' });
    const signOut = page.getByRole('button', { name: 'Sign out' });
    await allow.or(signOut).waitFor();
    if (await allow.isVisible()) await allow.click();
    await signOut.waitFor();
  }

  /** A visit that begins with a sign-in. */
  async visitAs(account: Account, path: string, act: (page: Page) => Promise<void>): Promise<void> {
    await this.visit({}, async (page) => {
      await this.signIn(page, account, path);
      await act(page);
    });
  }

  /** Posts to a service as a program would. */
  async post(url: string, body: object): Promise<Response> {
    return fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
  }

  /** What the simulated provider does wrong from now on. */
  async setFaults(faults: object[]): Promise<void> {
    const response = await fetch(`${this.platform.url('simulator')}/faults`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ faults }),
    });
    if (!response.ok) throw new Error(`the simulator refused the faults with ${response.status}`);
  }

  /** What the data API answers to a query with this key. */
  async dataStatus(key: string, query = '{ __typename }'): Promise<number> {
    const { status } = await fetch(`${this.platform.url('graphql-gateway')}/graphql`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ query }),
    });
    return status;
  }

  /** Resolves once the data API refuses a revoked key, which takes seconds. */
  async untilRefused(key: string): Promise<void> {
    await until('the key to be refused', 20_000, async () => ((await this.dataStatus(key)) === 401 ? true : undefined));
  }
}

/** In which each screen is checked. */
const looks: readonly Look[] = [360, 1280].flatMap((width) =>
  (['light', 'dark'] as const).map((colorScheme) => ({ width, colorScheme })),
);
/** Above 1280 px only the margins of the console grow, so axe-core would find the same as there. */
const widest = 1600;

/** What is wrong with the page in any width and colour scheme. Empty where nothing is. */
export const faultsInAllLooks = async (page: Page): Promise<string[]> => [
  ...(await faultsInLooks(page, looks)),
  ...(await faultsInWidth(page, widest)),
];

export const openScreen = (page: Page, screen: string): Promise<void> =>
  page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name: screen, exact: true }).click();
