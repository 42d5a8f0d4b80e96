import { describe, expect, it } from '@jest/globals';
import type { AppConfig } from '../app.config.js';
import { KnownBrowsers } from './known-browsers.js';

const account = (n: number, credentialsVersion = 1) => ({ id: `user-${n}`, credentialsVersion });
const browsersOf = (given: Partial<AppConfig> = {}): KnownBrowsers =>
  new KnownBrowsers({
    OAUTH_ISSUER: 'https://id.example.com',
    COOKIE_KEYS: ['one key'],
    LOGIN_KNOWN_BROWSER_DAYS: 180,
    ...given,
  } as AppConfig);
const cookieOf = (line: string): string => line.split(';')[0] as string;

describe('KnownBrowsers', () => {
  it('with an https issuer, bind the cookie to the host', () => {
    expect(browsersOf().remember(undefined, account(1))).toMatch(
      /^__Host-known_browser=[\w-]+\.[\w-]+; Path=\/; Max-Age=15552000; HttpOnly; SameSite=Lax; Secure$/,
    );
  });

  it('keep one id of a browser for each account, over its logins', () => {
    const browsers = browsersOf();
    const first = cookieOf(browsers.remember(undefined, account(1)));
    const both = cookieOf(browsers.remember(first, account(2)));
    const again = cookieOf(browsers.remember(both, account(1)));
    const ids = [browsers.find(again, account(1)), browsers.find(again, account(2))];
    expect(ids).toEqual([browsers.find(first, account(1)), browsers.find(both, account(2))]);
    expect(new Set(ids).size).toBe(2);
    expect(browsers.find(again, account(3))).toBeUndefined();
  });

  it('forget an account after a new password, and the oldest of more than five accounts', () => {
    const browsers = browsersOf();
    let cookie: string | undefined;
    for (let n = 1; n <= 6; n += 1) cookie = cookieOf(browsers.remember(cookie, account(n)));
    expect([1, 2, 6].map((n) => browsers.find(cookie, account(n)) !== undefined)).toEqual([false, true, true]);
    expect(browsers.find(cookie, account(6, 2))).toBeUndefined();
  });

  it('accept cookies of an older key, and none of an unknown key', () => {
    const cookie = cookieOf(browsersOf({ COOKIE_KEYS: ['old'] }).remember(undefined, account(1)));
    expect(browsersOf({ COOKIE_KEYS: ['new', 'old'] }).isKnown(cookie)).toBe(true);
    expect(browsersOf({ COOKIE_KEYS: ['new'] }).isKnown(cookie)).toBe(false);
  });

  it('forget a login after its days', () => {
    const cookie = cookieOf(browsersOf().remember(undefined, account(1)));
    expect(browsersOf({ LOGIN_KNOWN_BROWSER_DAYS: 0 }).isKnown(cookie)).toBe(false);
  });

  it.each(['', '.', 'a.b', `${'a'.repeat(5000)}.b`, '%00', '=', 'é.é'])('take %j for no cookie of theirs', (value) => {
    expect(browsersOf().isKnown(`__Host-known_browser=${value}`)).toBe(false);
  });
});
