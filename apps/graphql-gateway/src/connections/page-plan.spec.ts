import { describe, expect, it } from '@jest/globals';
import { NameDictionary, type NormalisedFilter, parseFilters, type FilterEntity } from '@tradewind/filters';
import type { SortKey } from './page-order.js';
import { formOf } from './page-plan.js';
import type { PageForm } from './page-query.js';

const announced: SortKey = { column: 'announced_date', type: 'date', direction: 'desc', isNullable: true };
const start: SortKey = { ...announced, column: 'start_date' };
const names = NameDictionary.of({ skills: [{ id: 7, name: 'Negotiation' }] });

function formOfFilter(entity: FilterEntity, filter: Record<string, unknown>, sort: readonly SortKey[] = []): PageForm {
  return formOf({
    table: entity,
    filter: parseFilters(entity, filter, { today: '2026-11-21', names }),
    sort,
    limit: 2,
  });
}

describe('the form of a page', () => {
  const narrow = { walkedMax: 2400 };

  it.each<[FilterEntity, Record<string, unknown>, PageForm]>([
    ['company', { keywords: [{ values: ['harbour'] }] }, narrow],
    ['company', { keywords: [{ values: ['harbour'], comparison: 'IS' }] }, narrow],
    ['company', { keywords: [{ values: ['harbour'], comparison: 'IS_NOT_ANY_OF' }] }, 'ordered'],
    ['person', { skills: [{ values: [7] }] }, narrow],
    ['person', { skills: [{ values: [7], comparison: 'IS_ALL_OF' }] }, narrow],
    ['person', { skills: [{ values: [7], comparison: 'IS_NOT_ANY_OF' }] }, 'ordered'],
    ['company', { revenue: [{ values: [5], comparison: 'MORE_THAN' }] }, 'ordered'],
    ['company', { revenue: [{ values: [5], comparison: 'MORE_THAN' }], keywords: [{ values: ['harbour'] }] }, narrow],
    ['deal', { buyerCompanyIds: [{ values: [5], comparison: 'MORE_THAN' }] }, narrow],
    ['company', {}, 'ordered'],
  ])('%s %j: %j', (entity, filter, form) => {
    expect(formOfFilter(entity, filter)).toEqual(form);
    expect(formOfFilter(entity, filter, [announced])).toEqual(form);
  });

  it('walks further for a larger page', () => {
    const filter = parseFilters('person', { skills: [{ values: [7] }] }, { today: '2026-11-21', names });
    expect(formOf({ table: 'person', filter, sort: [], limit: 51 })).toEqual({ walkedMax: 12_200 });
  });

  it.each<[string, string, PageForm]>([
    ['updated_at', 'created_at', narrow],
    ['created_at', 'updated_at', narrow],
    ['created_at', 'created_at', 'ordered'],
    ['updated_at', 'email', 'ordered'],
  ])('of contacts in a range of %s, sorted by %s: %j', (column, sortColumn, form) => {
    const range = { min: { value: '2026-10-31T00:00:00Z', isInclusive: true } };
    const inRange = { field: column, op: 'inRanges', column, type: 'timestamptz', ranges: [range], isNegated: false };
    const filter = { today: '2026-11-21', conditions: [inRange] } as unknown as NormalisedFilter;
    const key: SortKey = { column: sortColumn, type: 'timestamptz', direction: 'asc', isNullable: false };
    expect(formOf({ table: 'contact', filter, sort: [key], limit: 2 })).toEqual(form);
  });

  describe('of deals in a range of days, sorted by another date', () => {
    const startDate = [{ values: ['2020-01-01', '2020-12-31'], comparison: 'BETWEEN' }];
    const form = (filter: Record<string, unknown>, sort: SortKey[]) => formOfFilter('deal', filter, sort);

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
    ])('%j goes by blocks of days', (filter, days) => {
      expect(form(filter, [announced])).toEqual(days);
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
    ])('%s deals in the order %j', (name, sort, expected) => {
      expect(form(status(name), [sort])).toEqual(expected);
    });

    it.each([
      ['the same date', { startDate }, [start]],
      ['no order', { startDate }, []],
      ['two keys', { startDate }, [announced, start]],
      ['another order than a date', { startDate }, [{ ...announced, column: 'annual_value_amount' }]],
      ['a range of the order itself', { announcedDate: startDate }, [start]],
      ['two ranges', { startDate, endDate: startDate }, [announced]],
    ])('not with %s', (_name, filter, sort) => {
      expect(form(filter, sort)).toBe('ordered');
    });

    it('is not chosen with a condition that few deals satisfy', () => {
      expect(form({ startDate, buyerCompanyIds: [{ values: [7] }] }, [announced])).toEqual(narrow);
    });
  });
});
