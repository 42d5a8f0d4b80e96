import { describe, expect, it } from '@jest/globals';
import { Signatures } from './signatures.js';

describe('signatures', () => {
  const old = new Signatures(['old key']);
  const rotated = new Signatures(['new key', 'old key']);

  it('the first key signs, all verify, and the index says which one did', () => {
    const cookie = '_session=abc';
    expect(rotated.index(cookie, rotated.sign(cookie))).toBe(0);
    expect(rotated.index(cookie, old.sign(cookie))).toBe(1);
    expect(old.verify(cookie, old.sign(cookie))).toBe(true);
    expect(old.verify(cookie, rotated.sign(cookie))).toBe(false);
  });

  it('another cookie, another length and no signature are refused', () => {
    const signature = old.sign('_session=abc');
    for (const [cookie, given] of [
      ['_session=abd', signature],
      ['_session=abc', `${signature}x`],
      ['_session=abc', signature.slice(1)],
      ['_session=abc', ''],
      ['_session=abc', '\u{1f600}'.repeat(22)],
    ] as const) {
      expect(old.index(cookie, given)).toBe(-1);
    }
  });
});
