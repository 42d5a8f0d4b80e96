// What each service keeps after its garbage was collected, at the start, after every 250 requests and at the end.
import type { KeptHeap } from '../../src/meter.js';
import type { ServiceName } from '../../src/service-names.js';
import type { RunRule } from './rule.types.js';

/** Compiled code and bounded caches take less than this; a body that each request leaves behind takes more. */
const growthBytesMax = 16 * 2 ** 20;
/** In the second half of a run code is compiled and caches are full, so a smaller leak shows. */
const lateGrowthBytesMax = 6 * 2 ** 20;
/** The parsed documents of both endpoints take 25 MB after 12,000 hostile ones. */
const cacheBytesMax: Partial<Record<ServiceName, number>> = { 'graphql-gateway': 25 * 2 ** 20 };

export const memoryIsFlat: RunRule = {
  name: 'memory is flat',
  async begin({ meters }) {
    for (const meter of meters.values()) await meter.noteKeptHeap();
    return async () => {
      for (const meter of meters.values()) await meter.noteKeptHeap();
      return [...meters.values()].flatMap(({ service, keptHeaps }) =>
        heapGrowths(keptHeaps, cacheBytesMax[service]).map((growth) => `${service} ${growth}`),
      );
    };
  },
};

/**
 * A sentence for each class, and for the second half of a run, in which a heap grew too much.
 * @param cacheBytes of caches that may fill up meanwhile
 */
export function heapGrowths(heaps: readonly KeptHeap[], cacheBytes = 0): string[] {
  const found = heaps.flatMap(({ after, requests, heapBytes }, index) => {
    const growthBytes = heapBytes - (heaps[index - 1]?.heapBytes ?? heapBytes);
    return growthBytes > growthBytesMax ? [`grew by ${megabytes(growthBytes)} in ${requests} requests, ${after}`] : [];
  });
  const late = heaps.slice(Math.floor(heaps.length / 2));
  const lateGrowthBytes = (late.at(-1)?.heapBytes ?? 0) - (late[0]?.heapBytes ?? 0);
  if (lateGrowthBytes <= lateGrowthBytesMax + cacheBytes) return found;
  const requests = late.slice(1).reduce((sum, heap) => sum + heap.requests, 0);
  return [...found, `grew by ${megabytes(lateGrowthBytes)} in the last ${requests} requests`];
}

function megabytes(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(1)} MB`;
}
