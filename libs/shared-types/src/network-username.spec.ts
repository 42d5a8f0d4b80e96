import { describe, expect, it } from '@jest/globals';
import { normaliseNetworkUsername, usernameOfProfileUrl } from './network-username.js';

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

  it('gives one spelling for escaped, decomposed and upper-case letters', () => {
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
    [`https://www.linkedin.com/in/${'a'.repeat(101)}`],
  ])('refuses %j', (url) => {
    expect(usernameOfProfileUrl(url)).toBeUndefined();
  });
});

describe('normaliseNetworkUsername', () => {
  it.each([
    ['jane-doe', 'jane-doe'],
    ['  Jane-Doe\n', 'jane-doe'],
    ['@jane', 'jane'],
    ['jane%2Ddoe', 'jane-doe'],
    ['https://www.linkedin.com/in/Jane-Doe/', 'jane-doe'],
    ['', undefined],
    ['   ', undefined],
    ['a b', undefined],
    ['..', undefined],
    ['a?b', undefined],
    ['a\u0000b', undefined],
  ])('turns %j into %j', (text, expected) => {
    expect(normaliseNetworkUsername(text)).toBe(expected);
  });
});
