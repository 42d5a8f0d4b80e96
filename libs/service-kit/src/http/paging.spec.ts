import { describe, expect, it } from '@jest/globals';
import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import {
  cursorParts,
  IsPageCursor,
  IsPageLimit,
  pageLimitDefault,
  pageOf,
  positionAfter,
  timeAndId,
  toCursor,
} from './paging.js';

const time = new Date('2026-11-24T10:00:00.123Z');
const id = '5f0c1b6e-9d3a-4c52-8a80-2f6e0f4f7a11';

class Query {
  @IsPageLimit() limit: number = pageLimitDefault;
  @IsPageCursor() cursor?: string;
}

describe('paging', () => {
  it('reads back the position of a cursor, for the same filter only', () => {
    const cursor = toCursor([time.getTime(), id], { user: 'ada' });
    expect(positionAfter(cursor, { user: 'ada' }, timeAndId)).toEqual({ time, id });
    expect(cursorParts(cursor, { user: 'bob' })).toBeUndefined();
    expect(() => positionAfter(cursor, {}, timeAndId)).toThrow('cursor must be the next_cursor of a page');
    expect(positionAfter(undefined, {}, timeAndId)).toBeUndefined();
  });

  it.each<[string, (string | number)[]]>([
    ['a time alone', [1]],
    ['no UUID', [1, 'x']],
    ['a time that no Date holds', [9e15, id]],
    ['a time that PostgreSQL cannot read', [-8.64e15, id]],
    ['a year of six digits', [8.64e15, id]],
    ['a fraction', [1.5, id]],
    ['more than both', [1, id, 2]],
  ])('refuses %s as time and id', (_name, parts) => {
    expect(() => positionAfter(toCursor(parts, {}), {}, timeAndId)).toThrow('cursor must be');
  });

  it.each(['', '!', 'null', 'e30', Buffer.from('[]').toString('base64url'), '\0', 'x'.repeat(1000)])(
    'refuses %j as a cursor',
    (text) => expect(cursorParts(text, {})).toBeUndefined(),
  );

  it('shows a next page only if there is one', () => {
    expect(pageOf([1, 2, 3], 2, String)).toEqual({ page: [1, 2], next_cursor: '2' });
    expect(pageOf([1, 2], 2, String)).toEqual({ page: [1, 2], next_cursor: null });
    expect(pageOf([], 2, String)).toEqual({ page: [], next_cursor: null });
  });

  it.each<[object, boolean]>([
    [{}, true],
    [{ limit: '200', cursor: 'x' }, true],
    [{ limit: '0' }, false],
    [{ limit: '201' }, false],
    [{ limit: '1.5' }, false],
    [{ limit: ['1', '2'] }, false],
    [{ limit: 'many' }, false],
    [{ cursor: ['a', 'b'] }, false],
    [{ cursor: 'x'.repeat(1001) }, false],
  ])('judges the query %j', (query, isGood) => {
    expect(validateSync(plainToInstance(Query, query)).length === 0).toBe(isGood);
  });
});
