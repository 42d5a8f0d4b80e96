// A cursor holds where a page ended: the values of the sort keys and the id of its last record, and a fingerprint of the
// query it belongs to. With other filters or sorters it is refused, never answered with a wrong page; records added
// or removed meanwhile do not matter, since no position is counted.
import { hash } from 'node:crypto';
import { userInputError } from '../endpoint/graphql-errors.js';

/** Values of the sort keys in their order, the id last. Null where the record has no value. */
export type CursorPosition = readonly (string | null)[];

/** Short text that two queries share only when they mean the same records in the same order. */
export function queryFingerprint(meaning: string): string {
  return hash('sha256', meaning, 'base64url').slice(0, 11);
}

export function encodeCursor(fingerprint: string, position: CursorPosition): string {
  return Buffer.from(JSON.stringify([fingerprint, ...position])).toString('base64url');
}

/**
 * Where the page after a cursor begins; null without a cursor.
 * @throws BAD_USER_INPUT for anything but a cursor of this very query.
 */
export function positionAfter(
  cursor: string | null | undefined,
  fingerprint: string,
  keyCount: number,
): CursorPosition | null {
  if (cursor === null || cursor === undefined) return null;
  const parts = parse(cursor);
  const isCursor = Array.isArray(parts) && parts.every((part) => part === null || typeof part === 'string');
  if (!isCursor)
    throw userInputError('after is not a cursor of this API; pass pageInfo.endCursor of the previous page');
  const [ofQuery, ...position] = parts as (string | null)[];
  const id = position.at(-1);
  if (ofQuery !== fingerprint || position.length !== keyCount || typeof id !== 'string' || !/^\d{1,19}$/.test(id)) {
    throw userInputError(
      'after belongs to a query with other filters or sorters; page with the filters and sorters that it came from',
    );
  }
  return position;
}

function parse(cursor: string): unknown {
  if (!/^[A-Za-z0-9_-]{1,4096}$/.test(cursor)) return undefined;
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString()) as unknown;
  } catch {
    return undefined;
  }
}
