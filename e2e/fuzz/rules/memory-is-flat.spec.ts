import { describe, expect, it } from '@jest/globals';
import { heapGrowths } from './memory-is-flat.js';

/** The heap after each class of a run, MB. */
const heaps = (...megabytes: number[]) =>
  megabytes.map((size, index) => ({ after: `class ${index}`, requests: 100, heapBytes: size * 2 ** 20 }));

describe('heap growths', () => {
  it('name the class and the second half in which a heap grew', () => {
    expect(heapGrowths(heaps(50, 50, 90, 90, 90, 91))).toEqual(['grew by 40.0 MB in 100 requests, class 2']);
    expect(heapGrowths(heaps(50, 52, 54, 58, 62, 66))).toEqual(['grew by 8.0 MB in the last 200 requests']);
  });

  it('are none of a heap that levels off, shrinks or was not measured', () => {
    expect(heapGrowths(heaps(50, 60, 68, 70, 71, 70))).toEqual([]);
    expect(heapGrowths(heaps(90, 80, 70, 60))).toEqual([]);
    expect(heapGrowths([])).toEqual([]);
    expect(heapGrowths(heaps(50, 52, 54, 58, 62, 66), 5 * 2 ** 20)).toEqual([]);
  });
});
