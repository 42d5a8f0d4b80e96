// How REST lists are paged: `?limit=50&cursor=...` answers `{"things": [...], "next_cursor": "..."}`, null on the last
// page. A cursor is the position after which the next page begins and a hash of the filters that it belongs to. It is
// opaque to callers and holds nothing that the page before did not show. Lists are read by position, never by number,
// so rows that come and go between two pages repeat and hide no other.
import { createHash } from 'node:crypto';
import { MayBeAbsent, ServiceError } from '@tradewind/shared-types';
import { Type } from 'class-transformer';
import { IsString, MaxLength, ValidateBy } from 'class-validator';
import { applyDecorators } from '@nestjs/common';

export const pageLimitDefault = 50;
export const pageLimitMax = 200;
/** Far above what a position needs. */
const cursorCharsMax = 1000;

const cursorExample = 'NEXT_CURSOR';

/** For `@ApiPropertyOptional` of the field `limit`. */
export const pageLimitProperty = {
  type: 'integer',
  minimum: 1,
  maximum: pageLimitMax,
  default: pageLimitDefault,
} as const;
/** For `@ApiPropertyOptional` of the field `cursor`. */
export const pageCursorProperty = {
  type: String,
  description: '`next_cursor` of the page before',
  example: cursorExample,
};
/** For `@ApiProperty` of the field `next_cursor`. */
export const nextCursorProperty = {
  type: String,
  nullable: true,
  description: 'Gives the next page; null on the last',
  example: cursorExample,
};

/** On the field `limit` of a query, whose initial value is `pageLimitDefault`. */
export function IsPageLimit(): PropertyDecorator {
  return applyDecorators(
    MayBeAbsent(),
    Type(() => Number),
    ValidateBy({
      name: 'isPageLimit',
      validator: {
        validate: (value) => Number.isInteger(value) && (value as number) >= 1 && (value as number) <= pageLimitMax,
        defaultMessage: () => `$property must be an integer number from 1 to ${pageLimitMax}`,
      },
    }),
  );
}

/** On the field `cursor` of a query. */
export function IsPageCursor(): PropertyDecorator {
  return applyDecorators(MayBeAbsent(), IsString(), MaxLength(cursorCharsMax));
}

/** @param filter everything that decides which rows the list has and in which order; it must survive JSON */
export function toCursor(position: readonly (string | number)[], filter: unknown): string {
  return Buffer.from(JSON.stringify([...position, sumOf(filter)])).toString('base64url');
}

/** What `toCursor` was given; undefined when the text is no cursor, or one of another filter. */
export function cursorParts(text: string, filter: unknown): unknown[] | undefined {
  try {
    const parsed: unknown = JSON.parse(Buffer.from(text, 'base64url').toString());
    return Array.isArray(parsed) && parsed.pop() === sumOf(filter) ? parsed : undefined;
  } catch {
    // Not base64 of JSON: no cursor of ours.
    return undefined;
  }
}

/**
 * The position of a query's cursor; undefined on the first page. Throws 400 for what is no cursor of this list.
 * @param read the position in the parts; undefined when they are none
 */
export function positionAfter<T>(
  cursor: string | undefined,
  filter: unknown,
  read: (parts: unknown[]) => T | undefined,
): T | undefined {
  if (cursor === undefined) return undefined;
  const parts = cursorParts(cursor, filter);
  const position = parts && read(parts);
  if (position !== undefined) return position;
  throw new ServiceError({
    code: 'request.invalid',
    status: 400,
    message: ['cursor must be the next_cursor of a page with the same filters'],
  });
}

/** The latest year that both a Date and PostgreSQL write with four digits, milliseconds since 1970. */
const timeMax = Date.parse('9999-12-31T23:59:59Z');

/** The position of rows in the order of their time and id, for `positionAfter`. Times before 1970 are none of ours. */
export function timeAndId([time, id, ...rest]: unknown[]): { time: Date; id: string } | undefined {
  if (!Number.isSafeInteger(time) || (time as number) < 0 || (time as number) > timeMax || rest.length > 0)
    return undefined;
  if (typeof id !== 'string' || !/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id)) return undefined;
  return { time: new Date(time as number), id };
}

/**
 * A page of rows and its `next_cursor`.
 * @param rows one more than `limit` if there are so many, which shows that there is a next page
 * @param cursorAfter the cursor behind a row
 */
export function pageOf<T>(
  rows: readonly T[],
  limit: number,
  cursorAfter: (last: T) => string,
): { page: T[]; next_cursor: string | null } {
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  return { page, next_cursor: rows.length > limit && last !== undefined ? cursorAfter(last) : null };
}

function sumOf(filter: unknown): string {
  return createHash('sha256').update(JSON.stringify(filter)).digest('base64url').slice(0, 12);
}
