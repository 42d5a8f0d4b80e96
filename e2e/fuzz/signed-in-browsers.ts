// Browsers that are signed in, so that the forms of the account and login pages are reached. Their users are made for
// them: guesses of a password count, and some forms end every session of their user.
import { SignInPages } from '@tradewind/testkit';
import { createUsers, type NewUser } from '../src/create-users.js';
import type { PlatformProcess } from '../src/platform-process.js';
import type { Browsers, PageForms, Target } from '../src/target.types.js';

/** The target with browsers at the account pages and at a login. */
export async function withBrowsers(target: Target, platform: PlatformProcess): Promise<Target> {
  const [one, other] = [newUser('fuzzed'), newUser('leaving')];
  await createUsers(platform, [one, other]);
  const account = await atAccountPages(platform, one);
  const browsers: Browsers = {
    account,
    signsOut: await atAccountPages(platform, one),
    signsOutEverywhere: await atAccountPages(platform, other),
    login: await atLogin(platform),
  };
  return { ...target, browsers };
}

/** Of this run alone. */
const newUser = (name: string): NewUser => ({
  email: `${name}-${Date.now()}@example.com`,
  password: `password of ${name}`,
});

async function atAccountPages({ issuer }: PlatformProcess, user: NewUser): Promise<PageForms> {
  const pages = new SignInPages(user);
  const url = new URL('/account/password', issuer);
  return { ...hiddenFieldsOf(await pages.open(url)), cookie: pages.cookiesFor(url) };
}

/** A login that nobody finishes. */
async function atLogin({ issuer }: PlatformProcess): Promise<PageForms & { uid: string }> {
  const url = new URL('/account', issuer);
  const pages = new SignInPages({ email: '', password: '' });
  const { url: login, html } = await pages.openLogin(url);
  return {
    ...hiddenFieldsOf(html),
    uid: login.pathname.split('/')[2] ?? '',
    cookie: pages.cookiesFor(login),
  };
}

function hiddenFieldsOf(html: string): { csrf: string; version: string } {
  const valueOf = (name: string) => new RegExp(`name="${name}"\\s+value="([^"]*)"`).exec(html)?.[1] ?? '';
  return { csrf: valueOf('_csrf'), version: valueOf('version') };
}
