import { describe, expect, it } from '@jest/globals';
import { networkHandleOf, normaliseNetworkUsername, usernameOfProfileUrl } from './network-username.js';

describe('usernameOfProfileUrl', () => {
  it.each([
    ['https://www.linkedin.com/in/jane-doe'],
    ['https://linkedin.com/in/jane-doe'],
    ['http://www.linkedin.com/in/jane-doe/'],
    ['https://de.linkedin.com/in/jane-doe'],
    ['HTTPS://WWW.LINKEDIN.COM/IN/Jane-Doe'],
    ['https://www.linkedin.com/in/jane-doe?utm_source=share&x=1'],
    ['https://www.linkedin.com/in/jane-doe/#about'],
    ['https://www.linkedin.com/in/jane-doe/en'],
    ['https://www.linkedin.com//in//jane-doe//'],
    ['https://www.linkedin.com/in/jane%2Ddoe/'],
    ['www.linkedin.com/in/jane-doe'],
    ['  https://www.linkedin.com/in/jane-doe  '],
  ])('finds the handle in %s', (url) => {
    expect(usernameOfProfileUrl(url)).toBe('jane-doe');
  });

  it('gives one spelling to escaped, decomposed and upper-case letters', () => {
    const spellings = [
      'https://www.linkedin.com/in/jos%C3%A9',
      'https://www.linkedin.com/in/jose%CC%81',
      'https://www.linkedin.com/in/JOSÉ',
    ];
    expect(new Set(spellings.map(usernameOfProfileUrl))).toEqual(new Set(['josé']));
  });

  it.each([
    [''],
    ['not a url'],
    ['https://www.linkedin.com/'],
    ['https://www.linkedin.com/in/'],
    ['https://www.linkedin.com/company/acme'],
    ['https://www.linkedin.com/in/%20'],
    ['https://www.linkedin.com/in/a%2Fb'],
    ['https://www.linkedin.com/in/%E0%A4%A'],
    ['https://www.linkedin.com/in/..%00'],
    ['https://example.com/in/jane-doe'],
    ['https://linkedin.com.evil.example/in/jane-doe'],
    ['https://evil-linkedin.com/in/jane-doe'],
    ['ftp://www.linkedin.com/in/jane-doe'],
    ['javascript:alert(1)'],
    ['https://user:secret@www.linkedin.com/in/jane-doe'],
    ['https://www.linkedin.com:8443/in/jane-doe'],
    ['https://www.linkedin.com/in/jane\n-doe'],
    ['https://www.linkedin.com/in/jane%252Ddoe'],
    ['https://www.linkedin.com/in/%2e%2e/'],
    ['https://www.linkedin.com/in/%E2%80%8Bjane-doe'],
    [`https://www.linkedin.com/in/jane-doe?${'x'.repeat(10_000)}`],
    [`https://www.linkedin.com/in/${'a'.repeat(101)}`],
  ])('refuses %j', (url) => {
    expect(usernameOfProfileUrl(url)).toBeUndefined();
  });
});

/** What is no handle, in any service. */
const noHandles: [string, string][] = [
  ['nothing', ''],
  ['blanks', ' \t\n '],
  ['a dot', '.'],
  ['two dots', '..'],
  ['dashes', '---'],
  ['an asterisk', '*'],
  ['a sign for mentions', '@jane'],
  ['a blank inside', 'a b'],
  ['a slash', 'a/b'],
  ['an escaped slash', 'a%2Fb'],
  ['a backslash', 'a\\b'],
  ['a question mark', 'a?b'],
  ['a fragment', 'a#b'],
  ['an escape that is none', 'a%b'],
  ['an escape of an escape', 'a%2562'],
  ['a NUL', 'a\u0000b'],
  ['an escaped NUL', 'a%00b'],
  ['a line break', 'a\nb'],
  ['the right-to-left override', 'a\u202Eb'],
  ['the left-to-right mark', '\u200Ejane'],
  ['a zero-width space', 'a\u200Bb'],
  ['a zero-width joiner between letters', 'a\u200Db'],
  ['a soft hyphen', 'a\u00ADb'],
  ['a variation selector after a letter', 'a\uFE0Fb'],
  ['a filler that looks like nothing', '\u3164'],
  ['half a character', 'a\uD83D'],
  ['a private character', 'a\uE000'],
  ['only combining marks', '\u0301\u0300'],
  ['101 characters', 'a'.repeat(101)],
  ['101 characters outside the basic plane', '🚀'.repeat(101)],
  ['another host', 'https://example.com/in/jane'],
];

describe('networkHandleOf', () => {
  it.each([
    ['jane-doe', 'jane-doe'],
    ['  Jane-Doe\n', 'Jane-Doe'],
    ['jane%2Ddoe', 'jane-doe'],
    ['jos%C3%A9', 'josé'],
    ['jose\u0301', 'jos\u00e9'],
    ['1441', '1441'],
    ['jane_doe.2', 'jane_doe.2'],
    ['booking.com', 'booking.com'],
    ['johnson-&-johnson', 'johnson-&-johnson'],
    ["mcdonald's-corporation", "mcdonald's-corporation"],
    ['山田-太郎', '山田-太郎'],
    ['محمد-علي', 'محمد-علي'],
    ['नरेन्द्र-मोदी', 'नरेन्द्र-मोदी'],
    ['กรุงเทพ', 'กรุงเทพ'],
    ['%F0%9F%9A%80-julien', '🚀-julien'],
    ['👨‍🏫-jorge', '👨‍🏫-jorge'],
    ['❤️‍🔥👩🏽‍💻🇩🇪', '❤️‍🔥👩🏽‍💻🇩🇪'],
    ['a'.repeat(100), 'a'.repeat(100)],
    ['%F0%9F%9A%80'.repeat(100), '🚀'.repeat(100)],
    ['https://www.linkedin.com/in/Jane-Doe/?trk=x', 'Jane-Doe'],
    ['https://www.linkedin.com/company/booking.com/jobs/', 'booking.com'],
    ['linkedin.com/school/william-&-mary', 'william-&-mary'],
  ])('finds in %j the handle %j', (text, expected) => {
    expect(networkHandleOf(text)).toBe(expected);
    // What is a handle stays the same handle.
    expect(networkHandleOf(expected)).toBe(expected);
  });

  it.each(noHandles)('refuses %s', (_name, text) => {
    expect(networkHandleOf(text)).toBeUndefined();
    expect(normaliseNetworkUsername(text)).toBeUndefined();
  });

  it('accepts the URL of a page of the requested kind', () => {
    expect(networkHandleOf('https://www.linkedin.com/company/acme', 'COMPANY')).toBe('acme');
    expect(networkHandleOf('https://www.linkedin.com/company/acme', 'PERSON')).toBeUndefined();
    expect(networkHandleOf('https://www.linkedin.com/in/jane', 'COMPANY')).toBeUndefined();
  });

  it.each([
    ['80 kB of combining marks out of order', `a${'\u0315\u0300'.repeat(40_000)}`],
    ['the longest text that is looked at, of such marks', `a${'\u0315\u0300'.repeat(1_023)}`],
    ['emoji that could be cut in many ways', `${'👩🏽'.repeat(49)}*`],
    ['letters that are emoji, too', `${'ℹ'.repeat(99)}*`],
    ['80 kB of escapes', '%CC%95'.repeat(13_000)],
  ])('takes next to no time for %s', (_name, text) => {
    const before = performance.now();
    expect(networkHandleOf(text)).toBeUndefined();
    expect(usernameOfProfileUrl(`https://www.linkedin.com/in/${text}`)).toBeUndefined();
    // A few milliseconds alone; the bound leaves room for a busy machine. Without limits the first takes a second.
    expect(performance.now() - before).toBeLessThan(100);
  });
});

describe('normaliseNetworkUsername', () => {
  it.each([
    ['  Jane-Doe\n', 'jane-doe'],
    ['JOS%C3%89', 'josé'],
    ['https://www.linkedin.com/in/Jane-Doe/', 'jane-doe'],
    ['https://www.linkedin.com/company/acme', undefined],
    // Two characters each in lower case.
    ['İ'.repeat(60), undefined],
  ])('turns %j into %j', (text, expected) => {
    expect(normaliseNetworkUsername(text)).toBe(expected);
    if (expected !== undefined) expect(normaliseNetworkUsername(expected)).toBe(expected);
  });
});
