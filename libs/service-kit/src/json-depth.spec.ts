import { describe, expect, it } from '@jest/globals';
import { isDeeperThan, isTooDeep, jsonLevelsMax } from './json-depth.js';

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
