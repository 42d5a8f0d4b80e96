import { expect, it } from '@jest/globals';
import { emailKey } from './email-key.js';

it.each([
  [' Ada@Example.COM ', 'ada@example.com'],
  ['u\u0308ser@example.com', '\u00fcser@example.com'],
  ['', undefined],
  ['a\0b@example.com', undefined],
  ['\ud800@example.com', undefined],
  ['x'.repeat(255), undefined],
  // Composed, it would be short enough; the length is checked before.
  ['u\u0308'.repeat(128), undefined],
])('the key of %j is %j', (email, key) => {
  expect(emailKey(email)).toBe(key);
});
