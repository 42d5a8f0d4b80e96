import { expect, it } from '@jest/globals';
import { browserName } from './browser-name.js';

const webKit = 'AppleWebKit/537.36 (KHTML, like Gecko)';

it.each([
  [`Mozilla/5.0 (X11; Linux x86_64) ${webKit} Chrome/150.0.0.0 Safari/537.36`, 'Chrome, Linux'],
  [`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${webKit} Chrome/150.0.0.0 Safari/537.36 Edg/150.0.0.0`, 'Edge, Windows'],
  ['Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:145.0) Gecko/20100101 Firefox/145.0', 'Firefox, Windows'],
  [
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/19.0 Safari/605.1.15',
    'Safari, macOS',
  ],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/150.0 Mobile/15E148 Safari/604.1',
    'Chrome, iPhone',
  ],
  [`Mozilla/5.0 (Linux; Android 10; K) ${webKit} Chrome/150.0.0.0 Mobile Safari/537.36`, 'Chrome, Android'],
  [`Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) ${webKit} Chrome/150.0.0.0 Safari/537.36 OPR/130.0`, 'Opera, ChromeOS'],
  ['curl/8.9.1', undefined],
  ['', undefined],
  [undefined, undefined],
  ['Firefox/'.repeat(10_000), undefined],
])('%j is %j', (userAgent, name) => {
  expect(browserName(userAgent)).toBe(name);
});
