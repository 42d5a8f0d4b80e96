import { expect, it } from '@jest/globals';
import { parse } from 'graphql';
import { keptCharactersMax, parsedDocuments } from './parsed-documents.js';

it('keeps the documents that were used last, and no more characters than it may', async () => {
  const documents = parsedDocuments();
  const text = `{ ${'__typename '.repeat(200)}}`;
  const room = Math.floor(keptCharactersMax / text.length);
  for (let number = 0; number < 3 * room; number += 1) {
    await documents.set(String(number), parse(text));
    await documents.get('0');
  }
  const kept: number[] = [];
  for (let number = 0; number < 3 * room; number += 1) {
    if (await documents.get(String(number))) kept.push(number);
  }
  expect(kept).toHaveLength(room);
  expect([kept[0], kept.at(-1)]).toEqual([0, 3 * room - 1]);
});
