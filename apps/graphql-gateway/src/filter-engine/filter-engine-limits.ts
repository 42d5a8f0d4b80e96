// When the engine in memory is worth it, how many changes are followed, and how long an engine waits after a failure.

/** Below this, PostgreSQL answers in a few milliseconds, too. */
export const rowsMinOfAuto = 200_000;

/**
 * Changed rows are tested one by one for each new filter, about a microsecond for each condition. At this number that
 * costs as much as the bits of ten million rows, and they get an index of their own.
 */
export const changedRowsToIndex = 3_000;

/**
 * With so many rows in the index of the changed ones, a new index of all rows is built. Reading these takes a second or
 * two, for each 3,000 further changes. Putting them in place holds the thread of all requests for 70 ms.
 */
export const changedRowsToRebuild = 100_000;

/**
 * Most of the memory of the container, or else of the machine, that indexes may take, whatever is set. They are there
 * by default, and must not get a small pod killed; the service itself takes up to 300 MiB.
 */
const memoryPartMax = 1 / 3;

/**
 * What all indexes of a process may take, bytes.
 * @param setMb FILTER_ENGINE_MEMORY_MAX_MB
 * @param memoryBytes of the container or the machine
 */
export function indexBytesMax(setMb: number, memoryBytes: number): number {
  return Math.floor(Math.min(setMb * 2 ** 20, memoryBytes * memoryPartMax));
}

/** Part of the memory left that an index of changed rows may take: a build of all rows may run at the same time. */
export const changedRowsMemoryPart = 0.1;

/** So many changes are followed while an index is built; 20,000 cost about 20 ms a filter. Then PostgreSQL answers. */
export const changedRowsMax = 20_000;

/** How long a request waits for the engine to catch up, which takes a few milliseconds after small changes. */
export const catchUpMs = 50;

/** How long an engine is not asked that was wrong. A new build or `index check` makes it right. */
export const distrustedMs = 60_000;

/** Wait after a build that failed: long enough for a database to come back. */
export const retryAfterMs = 15_000;

/** Wait after a build that did not fit, and for a table that is small: neither is likely to change sooner. */
export const retryTooLargeAfterMs = 10 * 60_000;
export const retryTooSmallAfterMs = 60_000;

/** Longest run of one statement of a build: it reads the whole table. */
export const buildTimeoutMs = 30 * 60_000;
