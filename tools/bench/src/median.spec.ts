import { describe, expect, it } from '@jest/globals';
import { median, percentile } from './median.js';

describe('median and percentile', () => {
  it('returns the middle of unsorted values', () => {
    expect(median([9, 1, 5])).toBe(5);
    expect(median([4, 1, 3, 2])).toBe(2.5);
  });

  it('interpolates between the neighbours of a share', () => {
    expect(percentile([0, 10], 0.99)).toBeCloseTo(9.9);
    expect(percentile([7], 0.99)).toBe(7);
  });

  it('throws for an empty list', () => {
    expect(() => median([])).toThrow('no values');
  });
});
