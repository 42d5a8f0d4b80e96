import { describe, expect, it } from '@jest/globals';
import { indexBytesMax } from './filter-engine-limits.js';

const mib = 2 ** 20;

describe('the indexes in memory', () => {
  it('take what is set on a machine that has it', () => {
    expect(indexBytesMax(2048, 24 * 1024 * mib)).toBe(2048 * mib);
  });

  it('take a third of a small pod, whatever is set', () => {
    expect(indexBytesMax(2048, 768 * mib)).toBe(256 * mib);
  });
});
