/// <reference lib="dom" />
// A person with a browser at the console: signs in, opens screens, and is checked for faults of accessibility.
import axe from 'axe-core';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';

export interface Account {
  email: string;
  password: string;
}

/** Of the local platform. */
export const accounts = {
  admin: { email: 'admin@example.com', password: 'admin-password-1' },
  user: { email: 'demo@example.com', password: 'demo-password-1' },
} as const satisfies Record<string, Account>;

/** Runs a visit in a browser context of its own. Throws when the page had an error or broke its own policy. */
export async function visitConsole<T>(
  browser: Browser,
  options: BrowserContextOptions,
  act: (page: Page) => Promise<T>,
): Promise<T> {
  const context = await browser.newContext({ locale: 'en-GB', ...options });
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

/** @param address of the screen to begin with */
export async function signInToConsole(page: Page, address: string, { email, password }: Account): Promise<void> {
  await page.goto(address);
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

/** What axe-core finds on the page as it is. */
export async function accessibilityFaults(page: Page): Promise<unknown[]> {
  // The policy of the page forbids scripts; Chromium runs this one for the test all the same.
  await page.evaluate(axe.source);
  return page.evaluate(async () => {
    const { axe: checker } = window as unknown as { axe: typeof axe };
    const found = await checker.run(document, { resultTypes: ['violations'] });
    return found.violations.map(({ id, nodes }) => ({ id, nodes: nodes.map(({ html }) => html) }));
  });
}

export const openScreen = (page: Page, screen: string): Promise<void> =>
  page.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name: screen, exact: true }).click();
