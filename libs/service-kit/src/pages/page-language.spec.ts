import { describe, expect, it } from '@jest/globals';
import { findPageLanguage, pageLanguageOf } from './page-language.js';

const languageFor = (uiLocales?: string, acceptLanguage?: string) => pageLanguageOf(acceptLanguage, uiLocales);

describe('the language of a page', () => {
  it('follows the client, then the browser by quality, then English', () => {
    expect(languageFor()).toBe('en');
    expect(languageFor('fr-CA de', 'es')).toBe('fr');
    expect(languageFor('xx', 'es;q=0.2, de;q=0.9')).toBe('de');
    expect(languageFor(undefined, 'de;q=0, fr;q=0.1')).toBe('fr');
    expect(languageFor(undefined, 'ja, *;q=0.5')).toBe('en');
    expect(languageFor(undefined, ';;q=,,=')).toBe('en');
  });

  it('is none where none of ours is asked for', () => {
    for (const asked of [undefined, '*', 'ja, *;q=0.5', 'de;q=0']) expect(findPageLanguage(asked)).toBeUndefined();
    expect(findPageLanguage('*', 'es')).toBe('es');
  });

  it('is found in the beginning of a very long header', () => {
    expect(languageFor(undefined, `ja, de;q=0.5, ${'xx;q=0.1,'.repeat(1500)}`)).toBe('de');
  });
});
