import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { createGatewayDatabase, type GatewayDatabase } from '../test/gateway-tables.js';
import { normaliseText, wordsOf } from './text.js';

describe('the words of a text', () => {
  let database: GatewayDatabase;

  beforeAll(async () => {
    database = await createGatewayDatabase();
  });
  afterAll(() => database.drop());

  async function normalisedByDatabase(texts: readonly string[]): Promise<string[]> {
    const { rows } = await database.client.query<{ text: string }>(
      'select search_normalise(text) as text from unnest($1::text[]) with ordinality as each(text, place) order by place',
      [texts],
    );
    return rows.map(({ text }) => text);
  }

  it('are the same in TypeScript and in PostgreSQL for every character that both know', async () => {
    const characters: string[] = [];
    for (let codePoint = 1; codePoint <= 0x10ffff; codePoint++) {
      const character = String.fromCodePoint(codePoint);
      if (/[\p{Surrogate}\p{Unassigned}\p{Private_Use}]/u.test(character)) continue;
      characters.push(`a${character}b`);
    }
    const normalised = await normalisedByDatabase(characters);
    // Node may know a newer Unicode than the database (17 and 16 today), which then lacks the newest letters.
    const { rows } = await database.client.query<{ isKnown: boolean }>(
      'select unicode_assigned(text) as "isKnown" from unnest($1::text[]) with ordinality as each(text, place) order by place',
      [characters],
    );
    expect(rows.filter(({ isKnown }) => isKnown).length).toBeGreaterThan(150_000);
    const different = characters.filter(
      (text, index) => rows[index]!.isKnown && normaliseText(text) !== normalised[index],
    );
    expect(different.map((text) => text.codePointAt(1)!.toString(16))).toEqual([]);
  });

  it('are the same for generated texts', async () => {
    const text = fc
      .string({ unit: 'grapheme', maxLength: 20 })
      .map((value) => value.replaceAll('\0', ''))
      .filter((value) => !/\p{Surrogate}/u.test(value));
    const texts = fc.sample(text, 3_000);
    const normalised = await normalisedByDatabase(texts);
    const different = texts.filter((value, index) => normaliseText(value) !== normalised[index]);
    expect(different).toEqual([]);
  });

  it.each([
    ['Zürich', 'zurich'],
    ['ZU\u0308RICH', 'zurich'],
    ["L'Oréal S.A.", 'l oreal s a'],
    ['ΣΊΣΥΦΟΣ', 'σισυφοσ'],
    ['ﬁnance № 5', 'finance no 5'],
    ['  AT&T  ', 'at t'],
    ['İstanbul', 'istanbul'],
    ['東京', '東京'],
    ['—', ''],
  ])('%j is %j', (text, expected) => {
    expect(normaliseText(text)).toBe(expected);
  });

  it('are distinct and sorted', () => {
    expect(wordsOf('New York, new york City')).toEqual(['new', 'york', 'city']);
    expect(wordsOf(' & ')).toEqual([]);
  });
});
