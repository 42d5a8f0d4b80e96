import { expect, it } from '@jest/globals';
import { makeRecoveryCodes, recoveryCodeHash } from './recovery-codes.js';

it('codes are different, and are recognised however they are typed', () => {
  const codes = makeRecoveryCodes();
  expect(new Set(codes).size).toBe(10);
  for (const code of codes) {
    expect(code).toMatch(/^[a-z2-7]{4}(-[a-z2-7]{4}){3}$/);
    const hash = recoveryCodeHash('user', code);
    expect(recoveryCodeHash('user', ` ${code.toUpperCase().replaceAll('-', ' ')} `)).toBe(hash);
    expect(recoveryCodeHash('other user', code)).not.toBe(hash);
  }
});

it.each(['', '123456', 'a'.repeat(15), 'a'.repeat(17), '1'.repeat(16), 'ä'.repeat(16)])('%j is no code', (text) => {
  expect(recoveryCodeHash('user', text)).toBeUndefined();
});
