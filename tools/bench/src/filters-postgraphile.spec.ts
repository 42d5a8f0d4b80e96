import { describe, expect, it } from '@jest/globals';
import type { Condition } from '@tradewind/filters';
import type { DrawnFilter } from './drawn-filters.js';
import { postgraphileBody } from './filters-postgraphile.js';

function filterOf(...conditions: Condition[]): unknown {
  const drawn = {
    entity: 'company',
    filter: { entity: 'company', today: '2026-11-24', conditions },
    beside: {},
    sort: [],
  } as unknown as DrawnFilter;
  const body = postgraphileBody(drawn, 't.id, t.is_public', 50);
  return body === undefined
    ? undefined
    : (JSON.parse(body) as { variables: { filter?: { and: unknown } } }).variables.filter?.and;
}

describe('a filter for PostGraphile', () => {
  it('lets a negated condition hold without a value, as the data API does', () => {
    const condition = {
      field: '',
      op: 'in',
      column: 'country_id',
      type: 'bigint',
      values: [1],
      isNegated: true,
    } as const;
    expect(filterOf(condition)).toEqual([{ or: [{ countryId: { isNull: true } }, { countryId: { notIn: ['1'] } }] }]);
  });

  it('is missing for words and for two bounds of one element', () => {
    expect(
      filterOf({ field: '', op: 'words', column: 'search', phrases: [['a']], match: 'any', isNegated: false }),
    ).toBeUndefined();
    const bound = { value: 1, isInclusive: true };
    const range = { min: bound, max: bound };
    expect(filterOf({ field: '', op: 'hasElementIn', column: 'sport_ids', type: 'bigint', range })).toBeUndefined();
  });
});
