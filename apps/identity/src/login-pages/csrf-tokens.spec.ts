import { describe, expect, it } from '@jest/globals';
import { csrfToken, isCsrfToken, makeNonce } from './csrf-tokens.js';

describe('CSRF tokens', () => {
  const step = { uid: 'u', prompt: 'login', nonce: makeNonce() };
  const token = csrfToken(['new', 'old'], step);

  it('is valid for its step alone', () => {
    expect(isCsrfToken(['new'], step, token)).toBe(true);
    expect(isCsrfToken(['new'], { ...step, prompt: 'consent' }, token)).toBe(false);
    expect(isCsrfToken(['new'], { ...step, uid: 'other' }, token)).toBe(false);
    expect(isCsrfToken(['new'], { ...step, nonce: makeNonce() }, token)).toBe(false);
    expect(isCsrfToken(['new'], { ...step, nonce: undefined }, token)).toBe(false);
    for (const other of ['', `${token}x`]) expect(isCsrfToken(['new'], step, other)).toBe(false);
  });

  it('is made with the first key and verified with every key', () => {
    expect(isCsrfToken(['other', 'new'], step, token)).toBe(true);
    expect(isCsrfToken(['old'], step, token)).toBe(false);
  });
});
