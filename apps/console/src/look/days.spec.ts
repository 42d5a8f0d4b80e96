import { expect, it } from '@jest/globals';
import { daysOf, isMonth, lastDays, monthLater, monthName } from './days.js';

it('counts days and months in UTC, over the ends of months and years', () => {
  expect(lastDays(3, new Date('2026-03-01T23:59:59Z'))).toEqual(['2026-02-27', '2026-02-28', '2026-03-01']);
  expect([daysOf('2028-02').length, daysOf('2026-12').at(-1)]).toEqual([29, '2026-12-31']);
  expect([monthLater('2026-12', 1), monthLater('2026-01', -1)]).toEqual(['2027-01', '2025-12']);
  expect(monthName('2026-11')).toBe('November 2026');
  expect(['2026-11', '2026-13', '2026-1', undefined].map(isMonth)).toEqual([true, false, false, false]);
});
