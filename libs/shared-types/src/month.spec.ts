import { describe, expect, it } from '@jest/globals';
import {
  intentionOfCorrelationId,
  isMonth,
  monthOf,
  monthOfCorrelationId,
  oldestKeptMonth,
  parseMonth,
  scrapeCorrelationId,
} from './month.js';

describe('month', () => {
  it('is the month in UTC, whatever the local time zone', () => {
    expect(monthOf(new Date('2026-11-30T23:59:59.999Z'))).toBe('2026-11');
    expect(monthOf(new Date('2026-12-01T00:00:00+14:00'))).toBe('2026-11');
  });

  it.each([
    ['2026-02-28T23:59:59.999Z', '2026-02'],
    ['2026-03-01T00:00:00.000Z', '2026-03'],
    ['2028-02-28T23:59:59.999Z', '2028-02'],
    ['2028-02-29T00:00:00.000Z', '2028-02'],
    ['2028-02-29T23:59:59.999Z', '2028-02'],
    ['2028-03-01T00:00:00.000Z', '2028-03'],
    ['2026-12-31T23:59:59.999Z', '2026-12'],
    ['2027-01-01T00:00:00.000Z', '2027-01'],
  ])('of %s is %s, which the same moment accepts, in UTC', (instant, month) => {
    expect([monthOf(new Date(instant)), isMonth(month, new Date(instant))]).toEqual([month, true]);
  });

  it.each([
    ['2026-11', true],
    ['2026-13', false],
    ['2026-00', false],
    ['26-11', false],
    ['2026-11-01', false],
    ['', false],
    [202611, false],
    ['2000-01', true],
    ['2027-11', true],
    // Impossible months, before the platform, and further ahead than anybody prepares.
    ['0000-01', false],
    ['0001-01', false],
    ['1999-12', false],
    ['2027-12', false],
    ['9999-12', false],
    ['2026-11\n', false],
    [['2026-11'], false],
    [null, false],
  ])('accepts %j: %j', (text, expected) => expect(isMonth(text, new Date('2026-11-22T00:00:00Z'))).toBe(expected));

  it('is refused with a sentence that names the rule', () => {
    expect(() => parseMonth('2026-13')).toThrow('month must have the form YYYY-MM');
    expect(() => parseMonth('0000-01')).toThrow(/^month must lie between 2000-01 and \d{4}-\d\d$/);
  });

  it.each([
    ['2026-11-30T23:59:59.999Z', 3, '2026-08'],
    ['2026-01-01T00:00:00.000Z', 1, '2025-12'],
    ['2026-03-31T12:00:00.000Z', 14, '2025-01'],
    // Months shorter than this day.
    ['2026-03-31T23:59:59.999Z', 1, '2026-02'],
    ['2028-05-31T00:00:00.000Z', 3, '2028-02'],
    ['2028-02-29T23:59:59.999Z', 12, '2027-02'],
  ])('at %s with %d kept before it: the oldest is %s', (now, monthsKept, month) => {
    expect(oldestKeptMonth(new Date(now), monthsKept)).toEqual({ month, start: new Date(`${month}-01T00:00:00.000Z`) });
  });

  it('can be read back from a correlation id', () => {
    const month = monthOf(new Date('2026-02-03T00:00:00Z'));
    expect(monthOfCorrelationId(scrapeCorrelationId(month, 'abc'))).toBe(month);
    expect(monthOfCorrelationId(scrapeCorrelationId(month, 'abc', 'run'))).toBe(month);
    expect(intentionOfCorrelationId(scrapeCorrelationId(month, 'abc'))).toBe('2026-02');
    expect(intentionOfCorrelationId(scrapeCorrelationId(month, 'abc', 'run'))).toBe('2026-02.run');
    expect(monthOfCorrelationId('2026-99.abc')).toBeUndefined();
    expect(monthOfCorrelationId('2026-11')).toBeUndefined();
  });
});
