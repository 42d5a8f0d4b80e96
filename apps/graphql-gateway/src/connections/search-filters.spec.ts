import { describe, expect, it } from '@jest/globals';
import { NameDictionary } from '@tradewind/filters';
import type { Lookups } from '../dictionaries/dictionaries.service.js';
import { understandFilter } from './search-filters.js';

// Only names are read to understand a filter.
const lookups = { names: NameDictionary.of({ cities: [], skills: [] }) } as unknown as Lookups;

const understand = (input: object) =>
  understandFilter('deal', input, { lookups, now: new Date('2026-11-24'), argument: 'searchFilters' });
const future = { status: { values: ['FUTURE'] } };
const begun = (day: string) => ({ ...future, startDate: { values: [day], comparison: 'LESS_THAN' } });

describe('a filter that contradicts itself', () => {
  it('reads nothing, and shares its count with all others', () => {
    expect(understand(begun('2026-11-25')).where).toEqual({ sql: 'false', params: [] });
    expect(understand(begun('2026-11-26')).where.sql).not.toBe('false');
    expect(understand(begun('2026-11-25')).countKey).toBe(understand(begun('2025-01-01')).countKey);
  });

  it('has cursors of its own', () => {
    expect(understand(begun('2026-11-25')).fingerprint).not.toBe(understand(begun('2025-01-01')).fingerprint);
  });
});
