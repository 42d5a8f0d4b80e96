import { describe, expect, it } from '@jest/globals';
import type { JobId } from '../tracker/tracker.types.js';
import { parseCursor, toCursor } from './page-cursor.js';

const position = {
  createdAt: new Date('2026-11-21T07:00:00.123Z'),
  id: '5f0c1b6e-9d3a-4c52-8a80-2f6e0f4f7a11' as JobId,
};

describe('the cursor', () => {
  it('reads back the position that was written', () => {
    expect(parseCursor(toCursor(position, {}), {})).toEqual(position);
    const filter = { userCompanyId: 'acme', statuses: ['FAILED', 'ABORTED'] as const };
    const reordered = { userCompanyId: 'acme', statuses: ['ABORTED', 'FAILED', 'FAILED'] as const };
    expect(parseCursor(toCursor(position, filter), reordered)).toEqual(position);
  });

  it.each([
    ['another company', { userCompanyId: 'other' }],
    ['another status', { statuses: ['FAILED'] as const }],
    ['another target', { networkHandle: 'ada' }],
    ['another entity', { entity: 'PERSON' as const }],
    ['another time', { createdFrom: new Date(0) }],
    ['another end', { createdBefore: new Date(0) }],
  ])('is refused for %s', (_name, filter) => {
    expect(parseCursor(toCursor(position, {}), filter)).toBeUndefined();
    expect(parseCursor(toCursor(position, filter), {})).toBeUndefined();
  });

  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  it.each([
    '',
    '!',
    'null',
    encode(null),
    encode([1]),
    encode([1, 'x', 'y']),
    encode([9e15, position.id, 's']),
    encode({}),
  ])('is refused when it is %j', (text) => expect(parseCursor(text, {})).toBeUndefined());
});
