// When the engine in memory is worth it, how many changes are followed, and how long an engine waits after a failure.

/** Below this, PostgreSQL answers in a few milliseconds, too. */
export const rowsMinOfAuto = 200_000;

/**
 * Changed rows are tested one by one for each new filter, about a microsecond for each condition. At this number that
 * costs as much as the bits of ten million rows, and a new build starts.
 */
export const changedRowsToRebuild = 3_000;

/**
 * The old index follows this many changes during a build; 20,000 cost about 20 ms a filter. Then PostgreSQL answers.
 */
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
