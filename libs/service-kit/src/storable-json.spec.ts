import { describe, expect, it } from '@jest/globals';
import { isDeeperThan, storableJson, storedLevelsMax } from './storable-json.js';

const nested = (levels: number) => JSON.parse('['.repeat(levels) + ']'.repeat(levels)) as unknown;

describe('storableJson', () => {
  it('drops NUL, replaces lone surrogates, in keys as well, and leaves the rest alone', () => {
    expect(
      JSON.parse(storableJson({ 'k\u0000': ['a\u0000b', { deep: '\ud800x' }], n: null, fine: '😀 \\u0000' })),
    ).toEqual({
      k: ['ab', { deep: '\ufffdx' }],
      n: null,
      fine: '😀 \\u0000',
    });
  });

  it('keeps what is nested up to the limit, and cuts what is deeper, however deep', () => {
    expect(JSON.parse(storableJson(nested(storedLevelsMax)))).toEqual(nested(storedLevelsMax));
    const cut = storableJson({ beside: 'kept', deep: nested(400_000) });
    expect(JSON.parse(cut)).toMatchObject({ beside: 'kept' });
    expect(cut).toContain('nested too deep');
    expect(isDeeperThan(JSON.parse(cut), storedLevelsMax)).toBe(false);
  });
});

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
