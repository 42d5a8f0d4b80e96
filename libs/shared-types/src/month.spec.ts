import { describe, expect, it } from '@jest/globals';
import { isMonth, monthOf, monthOfCorrelationId, oldestKeptMonth, scrapeCorrelationId } from './month.js';

describe('month', () => {
  it('is the month in UTC, whatever the local time zone', () => {
    expect(monthOf(new Date('2026-11-30T23:59:59.999Z'))).toBe('2026-11');
    expect(monthOf(new Date('2026-12-01T00:00:00+14:00'))).toBe('2026-11');
  });

  it.each([
    ['2026-11', true],
    ['2026-13', false],
    ['2026-00', false],
    ['26-11', false],
    ['2026-11-01', false],
    ['', false],
    [202611, false],
  ])('accepts %j: %j', (text, expected) => expect(isMonth(text)).toBe(expected));

  it.each([
    ['2026-11-30T23:59:59.999Z', 3, '2026-08'],
    ['2026-01-01T00:00:00.000Z', 1, '2025-12'],
    ['2026-03-31T12:00:00.000Z', 14, '2025-01'],
  ])('at %s with %d kept before it: the oldest is %s', (now, monthsKept, month) => {
    expect(oldestKeptMonth(new Date(now), monthsKept)).toEqual({ month, start: new Date(`${month}-01T00:00:00.000Z`) });
  });

  it('survives the way through a correlation id', () => {
    const month = monthOf(new Date('2026-02-03T00:00:00Z'));
    expect(monthOfCorrelationId(scrapeCorrelationId(month, 'abc'))).toBe(month);
    expect(monthOfCorrelationId('2026-99.abc')).toBeUndefined();
    expect(monthOfCorrelationId('2026-11')).toBeUndefined();
  });
});
