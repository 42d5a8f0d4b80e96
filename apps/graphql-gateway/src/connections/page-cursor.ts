// A cursor holds where a page ended: the values of the sort keys and the id of its last record. It also holds a
// fingerprint of the query that it belongs to. With other filters or sorters it is refused, never answered with a wrong
// page. Records added or removed meanwhile do not matter, since no position is counted.
import { hash } from 'node:crypto';
import { dateOf, integerOf } from '@tradewind/filters';
import { userInputError } from '../request/graphql-errors.js';
import type { Positions, Row } from './record-source.js';

/** Values of the sort keys in their order, the id last. Null where the record has no value. */
export type CursorPosition = readonly (string | null)[];

/** What a cursor holds for one key of the order. */
export interface CursorKey {
  type: 'date' | 'bigint' | 'text' | 'timestamptz';
  isNullable: boolean;
}

/** Short text that two queries share only when they mean the same records in the same order. */
export function queryFingerprint(meaning: string): string {
  return hash('sha256', meaning, 'base64url').slice(0, 11);
}

/** The cursor of a row that has the values of the keys at these positions. */
export function cursorOf(fingerprint: string, keysAt: Positions, row: Row): string {
  return Buffer.from(JSON.stringify([fingerprint, ...keysAt.map((at) => row[at])])).toString('base64url');
}

const notACursor = 'after is not a cursor of this API; pass pageInfo.endCursor of the previous page';

/**
 * Where the page after a cursor begins; null without a cursor.
 * @throws BAD_USER_INPUT for anything but a cursor of this very query.
 */
export function positionAfter(
  cursor: string | null | undefined,
  fingerprint: string,
  keys: readonly CursorKey[],
): CursorPosition | null {
  if (cursor === null || cursor === undefined) return null;
  const parts = parse(cursor);
  const isCursor = Array.isArray(parts) && parts.every((part) => part === null || typeof part === 'string');
  if (!isCursor) throw userInputError(notACursor);
  const [ofQuery, ...position] = parts as (string | null)[];
  if (ofQuery !== fingerprint || position.length !== keys.length) {
    throw userInputError(
      'after belongs to a query with other filters or sorters; page with the filters and sorters that it came from',
    );
  }
  if (!keys.every((key, index) => isValueOf(key, position[index]!))) throw userInputError(notACursor);
  return position;
}

/** Whether the database can read the text as a value of the key: an invented cursor must not look like its failure. */
function isValueOf({ type, isNullable }: CursorKey, value: string | null): boolean {
  if (value === null) return isNullable;
  switch (type) {
    case 'bigint':
      return integerOf(value) !== undefined;
    case 'date':
      return dateOf(value) !== undefined;
    case 'timestamptz':
      return isInstant(value);
    case 'text':
      return !value.includes('\0');
  }
}

/** As toISOString writes it. */
function isInstant(text: string): boolean {
  const date = new Date(text);
  return !Number.isNaN(date.getTime()) && date.toISOString() === text;
}

function parse(cursor: string): unknown {
  if (!/^[A-Za-z0-9_-]{1,4096}$/.test(cursor)) return undefined;
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString()) as unknown;
  } catch {
    return undefined;
  }
}
