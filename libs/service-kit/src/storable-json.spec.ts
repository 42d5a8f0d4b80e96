import { describe, expect, it } from '@jest/globals';
import { storableJson } from './storable-json.js';

describe('storableJson', () => {
  it('drops NUL and replaces lone surrogates, in keys too, and leaves the rest alone', () => {
    expect(
      JSON.parse(storableJson({ 'k\u0000': ['a\u0000b', { deep: '\ud800x' }], n: null, fine: '😀 \\u0000' })),
    ).toEqual({
      k: ['ab', { deep: '\ufffdx' }],
      n: null,
      fine: '😀 \\u0000',
    });
  });
});
