import { describe, expect, it } from '@jest/globals';
import { NameDictionary, parseFilters, type FilterEntity } from '@tradewind/filters';
import { formOf } from './page-plan.js';
import type { SortKey } from './page-query.js';
import type { PageRequest } from './page-reader.port.js';
import type { WordFrequencies } from './word-frequencies.js';

const records: Readonly<Record<string, number>> = { rare: 20, seldom: 900, common: 10_000, 'ra*': 30 };
// A million records, of which this many hold each word.
const frequencies = {
  of: async (_table: string, _column: string, word: string) => ({
    records: records[word] ?? 0,
    tableRecords: 1_000_000,
  }),
} as WordFrequencies;

const announced: SortKey = { column: 'announced_date', type: 'date', direction: 'desc', isNullable: true };
const start: SortKey = { ...announced, column: 'start_date' };
const names = NameDictionary.of({ cities: [] });

function request(entity: FilterEntity, filter: Record<string, unknown>, more: Partial<PageRequest> = {}): PageRequest {
  return {
    table: entity,
    columns: [],
    where: { sql: 'true', params: [] },
    filter: parseFilters(entity, filter, { today: '2026-11-21', names }),
    countKey: '',
    sort: [],
    after: null,
    limit: 2,
    isCounted: false,
    ...more,
  };
}
const keywords = (values: string[], comparison: string, limit = 2) =>
  request('company', { keywords: [{ values, comparison }] }, { limit });

describe('the form of a page', () => {
  it.each([
    [['rare'], 'IS_ANY_OF', 2, 'narrow'],
    [['seldom'], 'IS_ANY_OF', 2, 'narrow'],
    [['common'], 'IS_ANY_OF', 2, 'ordered'],
    // A larger page walks further.
    [['common'], 'IS_ANY_OF', 1001, 'narrow'],
    [['rare', 'common'], 'IS_ANY_OF', 2, 'ordered'],
    [['rare', 'common'], 'IS_ALL_OF', 2, 'narrow'],
    [['common rare'], 'IS_ANY_OF', 2, 'narrow'],
    [['rare'], 'IS_NOT_ANY_OF', 2, 'ordered'],
    [Array.from({ length: 11 }, (_, i) => `word${i}`), 'IS_ANY_OF', 2, 'ordered'],
  ])('keywords %j %s, limit %i: %s', async (values, comparison, limit, form) => {
    expect(await formOf(keywords(values, comparison, limit), frequencies)).toBe(form);
  });

  it('counts words that are no part of a filter', async () => {
    const words = [{ column: 'search', phrases: [['common', 'ra*']], match: 'all' as const }];
    const { filter: _filter, ...contacts } = request('person', {}, { table: 'contact', words });
    expect(await formOf(contacts, frequencies)).toBe('narrow');
  });

  describe('of deals in a range of days, sorted by another date', () => {
    const startDate = [{ values: ['2020-01-01', '2020-12-31'], comparison: 'BETWEEN' }];
    const form = (filter: Record<string, unknown>, sort: SortKey[]) =>
      formOf(request('deal', filter, { sort }), frequencies);

    it.each([
      [{ startDate }, { column: 'start_date', first: '2020-01-01', last: '2020-12-31' }],
      [
        { startDate: [{ values: ['2020-01-01'], comparison: 'MORE_THAN' }] },
        { column: 'start_date', first: '2020-01-01' },
      ],
      [{ endDate: [{ values: ['2020-01-01'], comparison: 'LESS_THAN' }] }, { column: 'end_date', last: '2020-01-01' }],
      [
        { startDate, type: [{ values: ['MEDIA'] }], status: [{ values: ['PAST'] }] },
        { column: 'start_date', first: '2020-01-01', last: '2020-12-31' },
      ],
    ])('%j goes by blocks of days', async (filter, days) => {
      expect(await form(filter, [announced])).toEqual(days);
    });

    const status = (name: string) => ({ status: [{ values: [name] }] });
    const oldest: SortKey = { ...announced, direction: 'asc' };

    it.each([
      ['PAST', announced, { column: 'end_date', last: '2026-11-21' }],
      ['FUTURE', oldest, { column: 'start_date', first: '2026-11-21' }],
      ['PAST', oldest, 'ordered'],
      ['FUTURE', announced, 'ordered'],
      ['ACTIVE', announced, 'ordered'],
      ['PAST', { ...announced, column: 'end_date' }, 'ordered'],
    ])('%s deals in the order %j', async (name, sort, expected) => {
      expect(await form(status(name), [sort])).toEqual(expected);
    });

    it.each([
      ['the same date', { startDate }, [start]],
      ['no order', { startDate }, []],
      ['two keys', { startDate }, [announced, start]],
      ['another order than a date', { startDate }, [{ ...announced, column: 'annual_value_amount' }]],
      ['a range of the order itself', { announcedDate: startDate }, [start]],
      ['a condition that few deals satisfy', { startDate, buyerCompanyIds: [{ values: [7] }] }, [announced]],
      ['two ranges', { startDate, endDate: startDate }, [announced]],
    ])('not with %s', async (_name, filter, sort) => {
      expect(await form(filter, sort)).toBe('ordered');
    });
  });
});
