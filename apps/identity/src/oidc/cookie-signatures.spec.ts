import { describe, expect, it } from '@jest/globals';
import { CookieSignatures } from './cookie-signatures.js';

describe('cookie signatures', () => {
  const old = new CookieSignatures(['old key']);
  const rotated = new CookieSignatures(['new key', 'old key']);

  it('the first key signs, all verify, and the index says which one did', () => {
    const cookie = '_session=abc';
    expect(rotated.index(cookie, rotated.sign(cookie))).toBe(0);
    expect(rotated.index(cookie, old.sign(cookie))).toBe(1);
    expect(old.verify(cookie, old.sign(cookie))).toBe(true);
    expect(old.verify(cookie, rotated.sign(cookie))).toBe(false);
  });

  it('a signature of another cookie or length, or none, is refused however often it is tried', () => {
    const signature = old.sign('_session=abc');
    for (let time = 0; time < 2; time += 1) {
      for (const [cookie, given] of [
        ['_session=abd', signature],
        ['_session=abc', `${signature}x`],
        ['_session=abc', signature.slice(1)],
        ['_session=abc', ''],
        ['_session=abc', '\u{1f600}'.repeat(22)],
      ] as const) {
        expect(old.index(cookie, given)).toBe(-1);
      }
    }
  });

  it('verifies more cookies than it remembers', () => {
    const cookies = Array.from({ length: 4100 }, (_, n) => `_session=${n}`);
    const signatures = cookies.map((cookie) => old.sign(cookie));
    expect(cookies.every((cookie, n) => old.verify(cookie, signatures[n] as string))).toBe(true);
  });
});
