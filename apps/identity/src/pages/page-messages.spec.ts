import { describe, expect, it } from '@jest/globals';
import { platformResources } from '../app.config.js';
import { scopes } from '../oidc/policy/resources.js';
import { languages, messagesFor } from './page-messages.js';

const languageFor = (uiLocales?: string, acceptLanguage?: string) => messagesFor(uiLocales, acceptLanguage).language;

describe('page messages', () => {
  it('follows the client, then the browser by quality, then English', () => {
    expect(languageFor()).toBe('en');
    expect(languageFor('fr-CA de', 'es')).toBe('fr');
    expect(languageFor('xx', 'es;q=0.2, de;q=0.9')).toBe('de');
    expect(languageFor(undefined, 'de;q=0, fr;q=0.1')).toBe('fr');
    expect(languageFor(undefined, 'ja, *;q=0.5')).toBe('en');
    expect(languageFor(undefined, ';;q=,,=')).toBe('en');
  });

  it('every language explains every scope, and no sentence is empty', () => {
    const sentences = (value: unknown): string[] => {
      if (typeof value === 'string') return [value];
      if (typeof value === 'function') return [String((value as (argument: unknown) => unknown)(2))];
      return Object.values(value as object).flatMap(sentences);
    };
    for (const messages of languages) {
      expect(Object.keys(messages.scopes)).toEqual([...scopes]);
      expect(Object.keys(messages.resources)).toEqual(platformResources);
      for (const sentence of sentences(messages)) expect(sentence.trim()).not.toBe('');
    }
  });
});
