import { describe, expect, it } from '@jest/globals';
import { contentSum, sumOfSums } from './content-sum.js';

describe('the sum of a content', () => {
  it('is that of the JSON, whatever the order of fields', () => {
    const sum = contentSum({ a: 1, b: [{ c: null, d: 'x' }] });
    expect(contentSum({ b: [{ d: 'x', c: null, e: undefined }], a: 1 })).toBe(sum);
    expect(contentSum({ a: 1, b: [{ c: null, d: 'y' }] })).not.toBe(sum);
    expect(contentSum([1, 2])).not.toBe(contentSum([2, 1]));
  });

  it('of many contents does not depend on their order, but on how often each is there', () => {
    expect(sumOfSums(['1', '2'])).toBe(sumOfSums(['2', '1']));
    expect(sumOfSums(['1', '1'])).not.toBe(sumOfSums(['1']));
  });
});
