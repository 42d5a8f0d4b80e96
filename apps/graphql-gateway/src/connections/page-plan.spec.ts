import { describe, expect, it } from '@jest/globals';
import { NameDictionary, parseFilters, type FilterEntity } from '@tradewind/filters';
import { Clock } from '../clock.js';
import { PagePlan } from './page-plan.js';
import type { SortKey } from './page-order.js';
import type { PageForm } from './page-query.js';
import type { PageRequest } from './page-reader.port.js';
import type { ElementFrequencies, ListColumn } from './element-frequencies.js';

const records: Readonly<Record<string, number>> = {
  rare: 20,
  seldom: 900,
  common: 10_000,
  frequent: 80_000,
  '1068': 10_000,
  '1070': 40,
  'ra*': 30,
};
// A million records, of which this many hold each element.
const frequencies = {
  of: async (_table: string, _list: ListColumn, elements: readonly string[]) => ({
    records: elements.map((element) => records[element] ?? 0),
    tableRecords: 1_000_000,
  }),
  // The first tenth of the ids is dense, the rest has one record in ten thousand ids.
  ids: async () =>
    Array.from({ length: 11 }, (_, tenth) => (tenth === 0 ? 1n : 100_000n + BigInt(tenth - 1) * 10n ** 9n)),
} as unknown as ElementFrequencies;

const formOf = async (asked: PageRequest) => new PagePlan(frequencies, new Clock()).formOf(asked);

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
const byRevenue: SortKey = { column: 'revenue_amount', type: 'bigint', direction: 'desc', isNullable: true };
const keywords = (values: string[], comparison: string, more: Partial<PageRequest> = {}) =>
  request('company', { keywords: [{ values, comparison }] }, more);

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
  ])('keywords %j %s, limit %i, sorted: %s', async (values, comparison, limit, form) => {
    expect(await formOf(keywords(values, comparison, { limit, sort: [byRevenue] }))).toBe(form);
  });

  describe('in the order of ids', () => {
    const page = { limit: 51 };

    it.each([
      ['many hold: they are met soon', 'frequent', 51, null, 'ordered'],
      ['few pages of one hold', 'common', 2, null, 'ordered'],
      ['twenty hold: they are sorted at once', 'rare', 51, null, 'narrow'],
      ['nobody holds', 'unheard', 51, null, 'narrow'],
      ['one in a hundred holds, 80 of 8,000', 'common', 51, null, { first: 0n, last: 1n, rest: 'ordered' }],
      ['one in a hundred holds, where a cursor is', 'common', 51, '50000', { first: 12n, last: 14n, rest: 'ordered' }],
      ['one in a thousand holds', 'seldom', 51, null, { first: 0n, last: 20n, rest: 'narrow' }],
      ['one in a hundred holds, where ids are far apart', 'common', 51, '5000000000', 'ordered'],
      ['one in a hundred holds, behind all that is known', 'common', 51, '9000000000000', 'ordered'],
    ])('a word that %s', async (_what, word, limit, after, form) => {
      const asked = keywords([word], 'IS_ANY_OF', { limit, after: after === null ? null : [after] });
      expect(await formOf(asked)).toEqual(form);
    });

    it.each([
      [
        'all of two words',
        keywords(['common', 'frequent'], 'IS_ALL_OF', page),
        { first: 0n, last: 23n, rest: 'narrow' },
      ],
      [
        'either of two words',
        keywords(['common', 'seldom'], 'IS_ANY_OF', page),
        { first: 0n, last: 1n, rest: 'ordered' },
      ],
      [
        'a location',
        request('person', { location: [{ values: [1068] }] }, page),
        { first: 0n, last: 1n, rest: 'ordered' },
      ],
      ['a location that few have', request('person', { location: [{ values: [1070] }] }, page), 'ordered'],
    ])('%s', async (_what, asked, form) => {
      expect(await formOf(asked)).toEqual(form);
    });

    it.each([
      [
        'something else besides',
        request(
          'company',
          { keywords: [{ values: ['common'] }], revenue: [{ values: [5], comparison: 'MORE_THAN' }] },
          page,
        ),
      ],
      ['a word that is not to be there', keywords(['common'], 'IS_NOT_ANY_OF', page)],
      ['a text that is asked for as a whole', keywords(['common'], 'IS', page)],
      ['a list that has no blocks', request('company', { region: [{ values: ['1'] }] }, page)],
    ])('not with %s', async (_what, asked) => {
      expect(await formOf(asked)).toBe('ordered');
    });
  });

  it('counts words that are no part of a filter', async () => {
    const words = [{ column: 'search', type: 'tsvector' as const, groups: [['common', 'ra*']], match: 'all' as const }];
    const { filter: _filter, ...contacts } = request('person', {}, { table: 'contact', words });
    expect(await formOf(contacts)).toBe('narrow');
  });

  it.each([
    ['common', 51, [], 'covered'],
    ['common', 2, [], 'ordered'],
    ['frequent', 51, [], 'covered'],
    ['common', 51, [byRevenue], 'ordered'],
    ['rare', 51, [], 'narrow'],
  ])('contacts with the word %s, limit %i, sorted by %j: %s', async (word, limit, sort, form) => {
    const words = [{ column: 'search', type: 'tsvector' as const, groups: [[word]], match: 'all' as const }];
    const { filter: _filter, ...contacts } = request('person', {}, { table: 'contact', words, limit, sort });
    expect(await formOf(contacts)).toBe(form);
  });

  describe('of deals in a range of days, sorted by another date', () => {
    const startDate = [{ values: ['2020-01-01', '2020-12-31'], comparison: 'BETWEEN' }];
    const form = (filter: Record<string, unknown>, sort: SortKey[]) => formOf(request('deal', filter, { sort }));

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

    it.each<[string, SortKey, PageForm]>([
      ['PAST', announced, { column: 'end_date', last: '2026-11-21' }],
      ['FUTURE', oldest, { column: 'start_date', first: '2026-11-21' }],
      ['PAST', oldest, 'ordered'],
      ['FUTURE', announced, 'ordered'],
      ['ACTIVE', announced, { column: 'end_date', first: '2026-11-21', orUnknown: true }],
      ['ACTIVE', { ...start, direction: 'asc' }, { column: 'end_date', first: '2026-11-21', orUnknown: true }],
      ['ACTIVE', start, { from: '2026-11-21' }],
      ['ACTIVE', { ...oldest, column: 'end_date' }, { from: '2026-11-21' }],
      ['ACTIVE', { ...announced, column: 'end_date' }, 'ordered'],
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
