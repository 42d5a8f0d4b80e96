import { expect, it } from '@jest/globals';
import { lowestOfThirds } from './lowest-of-thirds.js';

it('compares what stays in use, and neither the start nor the garbage', () => {
  expect(lowestOfThirds([1, 2, 3, 50, 40, 60, 90, 70, 80])).toEqual({ before: 40, after: 70 });
});
