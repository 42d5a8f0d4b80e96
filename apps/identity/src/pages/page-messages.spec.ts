import { describe, expect, it } from '@jest/globals';
import { pageLanguages } from '@tradewind/service-kit';
import { platformResources } from '../app.config.js';
import { scopes } from '../oidc/policy/resources.js';
import { languages, messagesFor } from './page-messages.js';

describe('page messages', () => {
  it('is in the language of the client, the browser, or English', () => {
    expect(messagesFor('fr-CA de', 'es').language).toBe('fr');
    expect(messagesFor(undefined, 'es').language).toBe('es');
    expect(messagesFor(undefined, undefined).language).toBe('en');
  });

  it('has the languages of all pages', () => {
    expect(languages.map(({ language }) => language)).toEqual([...pageLanguages]);
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
