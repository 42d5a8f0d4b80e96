import { describe, expect, it } from '@jest/globals';
import { excessSentence, isDeeperThan, isTooDeep, jsonLevelsMax, jsonValuesMax } from './json-depth.js';

describe('isDeeperThan', () => {
  it.each([
    ['text', 0, false],
    [[], 0, true],
    [{ a: 1 }, 1, false],
    [{ a: [] }, 1, true],
    [{ a: [{ b: 'x' }] }, 3, false],
  ])('%j in %d levels: %s', (value, levels, expected) => {
    expect(isDeeperThan(value, levels)).toBe(expected);
  });
});

describe('isTooDeep', () => {
  it.each([
    ['lists', '[', ']'],
    ['objects', '{"a":', '}'],
    ['objects in lists', '[{"a":', '}]'],
  ])('counts %s, however deep', (_kind, open, close) => {
    const ofLevels = (levels: number) => {
      const perPart = open === '[{"a":' ? 2 : 1;
      const text = open.repeat(levels / perPart) + '1' + close.repeat(levels / perPart);
      return isTooDeep(text, JSON.parse(text));
    };
    expect(ofLevels(jsonLevelsMax)).toBe(false);
    expect(ofLevels(jsonLevelsMax + 2)).toBe(true);
    expect(ofLevels(400_000)).toBe(true);
  });

  it('finds a deep part behind many flat ones, and ignores brackets inside strings', () => {
    const flat = JSON.stringify(Array.from({ length: 500 }, () => ({ text: '[{'.repeat(200) })));
    expect(isTooDeep(flat, JSON.parse(flat))).toBe(false);
    const behind = `${flat.slice(0, -1)},${'['.repeat(jsonLevelsMax)}${']'.repeat(jsonLevelsMax)}]`;
    expect(isTooDeep(behind, JSON.parse(behind))).toBe(true);
  });
});

describe('excessSentence', () => {
  const list = (count: number, value: unknown) => JSON.stringify(Array.from({ length: count }, () => value));
  const object = (count: number) => JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, n) => [n, n])));

  it('counts fields and list entries at all levels', () => {
    expect([object(jsonValuesMax), list(jsonValuesMax, 1)].map(excessSentence)).toEqual([undefined, undefined]);
    for (const text of [object(jsonValuesMax + 1), list(jsonValuesMax + 1, 1), list(jsonValuesMax / 2 + 1, { a: 1 })]) {
      expect(excessSentence(text)).toBe('body must not have more than 20000 fields and list entries');
    }
    expect(excessSentence('['.repeat(100_000))).toBe('body must not be nested in more than 100 levels');
  });

  it('does not look into texts, whole or broken off', () => {
    const text = '[,"\\{'.repeat(jsonValuesMax);
    const escapedQuotes = '\\"['.repeat(jsonValuesMax);
    for (const fine of [JSON.stringify({ text }), list(2, text), `"${escapedQuotes}"`, `"${escapedQuotes}`]) {
      expect(excessSentence(fine)).toBeUndefined();
    }
  });
});
