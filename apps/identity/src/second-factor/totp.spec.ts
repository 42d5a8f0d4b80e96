import { expect, it } from '@jest/globals';
import { totpStep, totpUri } from './totp.js';

// The secret and times of RFC 6238, appendix B; its codes have eight digits, of which these are the last six.
const rfcValue = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';

it.each([
  [59, '287082', 1],
  [1111111109, '081804', 37037036],
  [2000000000, '279037', 66666666],
])('at %i s the code is %s', (seconds, code, step) => {
  expect(totpStep(rfcValue, code, seconds * 1000)).toBe(step);
});

it('a clock may be one step off, to either side', () => {
  const code = '287082';
  expect([-31, 0, 30].map((off) => totpStep(rfcValue, code, (59 + off) * 1000))).toEqual([1, 1, 1]);
  expect([-60, 61].map((off) => totpStep(rfcValue, code, (59 + off) * 1000))).toEqual([undefined, undefined]);
});

it.each(['', '28708', '2870822', '28708a', '２８７０８２', ' 287082'])('%j is no code', (code) => {
  expect(totpStep(rfcValue, code, 59_000)).toBeUndefined();
});

it('the address for apps names the service and the account, whatever characters are in it', () => {
  expect(totpUri(rfcValue, 'a:b?&@example.com')).toMatch(
    /^otpauth:\/\/totp\/Tradewind:a%3Ab%3F%26%40example\.com\?issuer=Tradewind&secret=GEZDGN/,
  );
});
