// How far the index follows the data before it is built anew, and how long it waits after a failure.

/**
 * Changed rows are judged one by one at each new filter, about a microsecond each and condition: from here on that costs as
 * much as the bits of ten million rows, and a new build is started.
 */
export const changedRowsToRebuild = 3_000;

/** While that build runs, the old index follows on up to here; 20,000 rows cost some 20 ms a filter. Then PostgreSQL answers. */
export const changedRowsMax = 20_000;

/** A request that finds the index behind waits this long for it to catch up, which takes a few milliseconds after small changes. */
export const catchUpMs = 50;

/** After a build that failed: long enough for a database to come back. */
export const retryAfterMs = 15_000;

/** After a build that did not fit: the table will not have shrunk sooner. */
export const retryTooLargeAfterMs = 10 * 60_000;

/** Longest run of one statement of a build: it reads the whole table. */
export const buildTimeoutMs = 30 * 60_000;
