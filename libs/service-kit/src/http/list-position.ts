// The position of a row in a list that is ordered by time and id, for the cursors of paging.ts. PostgreSQL keeps
// microseconds, so the position has them, too: with milliseconds, rows of the same one would be lost between two pages.

export interface ListPosition {
  /** Since 1970. */
  micros: number;
  id: string;
}

/** SQL for the microseconds of a time. */
export const microsOf = (column: string): string => `(extract(epoch from ${column}) * 1000000)::float8`;

/** SQL for the time of so many microseconds. */
export const timeOf = (micros: string): string =>
  `('epoch'::timestamptz + ${micros}::float8 * interval '1 microsecond')`;

/** The latest time that PostgreSQL has is further away. */
const microsMax = Date.parse('9999-12-31T23:59:59Z') * 1000;

/** For `positionAfter`; undefined when the parts of a cursor are no position, or its id is none. */
export function listPosition(isId: (text: string) => boolean) {
  return ([micros, id, ...rest]: unknown[]): ListPosition | undefined => {
    if (!Number.isSafeInteger(micros) || (micros as number) < 0 || (micros as number) > microsMax) return undefined;
    return typeof id === 'string' && isId(id) && rest.length === 0 ? { micros: micros as number, id } : undefined;
  };
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Where the id is a UUID. */
export const timeAndUuid = listPosition((text) => uuid.test(text));

/** Where the id is a bigint. */
export const timeAndNumber = listPosition((text) => /^\d{1,18}$/.test(text));

/** Where the id is a text of PostgreSQL, which stores no U+0000. */
export const timeAndText = listPosition((text) => !/[\0\p{Surrogate}]/u.test(text));
