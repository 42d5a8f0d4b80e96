import { expect, it } from '@jest/globals';
import { freePortBase } from './platform-process.js';

it('gives each platform ports of its own, also before one listens there', async () => {
  const bases = await Promise.all(Array.from({ length: 40 }, freePortBase));
  expect(new Set(bases).size).toBe(bases.length);
});
