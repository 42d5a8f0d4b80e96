// Between two collections of garbage the heap grows anyway, so the lowest readings of two thirds of a run are compared.
// The first third is left out: caches and compiled code fill up there.
import type { Reading } from '../target/meter.js';
import type { RunRule } from './rule.types.js';

const growthBytesMax = 24 * 2 ** 20;
/** With fewer readings, a run may have seen no collection. */
const readingsMin = 60;

export const memoryIsFlat: RunRule = {
  name: 'memory is flat',
  begin: async ({ meters }) => {
    return () =>
      [...meters.values()].flatMap(({ service, readings }) => {
        if (readings.length < readingsMin) return [];
        const third = Math.floor(readings.length / 3);
        const before = lowestHeap(readings.slice(third, 2 * third));
        const growthBytes = lowestHeap(readings.slice(2 * third)) - before;
        return growthBytes > growthBytesMax ? [`${service} grew by ${(growthBytes / 2 ** 20).toFixed(1)} MB`] : [];
      });
  },
};

function lowestHeap(readings: readonly Reading[]): number {
  return Math.min(...readings.map(({ heapBytes }) => heapBytes));
}
