import { describe, expect, it } from '@jest/globals';
import { textsOf } from './search.js';

describe('the search of an address', () => {
  it('keeps the texts of known names, and drops the rest', () => {
    const read = textsOf('status', 'handle');
    expect(read({ status: 'FAILED', handle: '', other: 'x' })).toEqual({ status: 'FAILED' });
    expect(read({ handle: 7, status: ['FAILED'] })).toEqual({ handle: '7' });
    expect(read({ handle: { toString: 'x' }, status: null })).toEqual({});
  });
});
