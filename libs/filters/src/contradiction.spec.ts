import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { filterOf, names, recordOf, today } from '../test/arbitraries.js';
import { canonicalKey, evaluateFilter, type FilterEntity, isContradictory, parseFilters } from './index.js';
import { difference, intersection, union } from './intervals.js';
import { reduceContradiction } from './contradiction.js';

const parse = (entity: FilterEntity, filter: Record<string, unknown>) => parseFilters(entity, filter, { today, names });
const not = (...values: unknown[]) => ({ values, comparison: 'IS_NOT_ANY_OF' });
const all = (...values: unknown[]) => ({ values, comparison: 'IS_ALL_OF' });
const any = (...values: unknown[]) => ({ values });
const is = (value: unknown) => ({ values: [value], comparison: 'IS' });
const more = (value: unknown) => ({ values: [value], comparison: 'MORE_THAN' });
const less = (value: unknown) => ({ values: [value], comparison: 'LESS_THAN' });

const contradictions: [FilterEntity, Record<string, unknown>][] = [
  ['company', { employeeCount: [more(5), less(3)] }],
  ['company', { employeeCount: [more(5), less(6)] }],
  ['company', { employeeCount: more(5), numberOfEmployees: any(4, '5') }],
  ['company', { revenue: [more('9223372036854775806'), not('9223372036854775807')] }],
  ['company', { revenue: more('9223372036854775807') }],
  ['company', { country: [any('DE', 'CH'), not('CH'), not('DE')] }],
  ['company', { country: [not('CH', 'DE'), any('DE')] }],
  ['company', { industry: all('Accounting', 'Airlines') }],
  ['company', { region: [any('DACH'), not('DACH', 'europe')] }],
  ['company', { officeLocation: [not(1), any('1')] }],
  ['company', { region: [all('DACH', 1), not('DACH')] }],
  ['company', { keywords: [any('red cloud', 'cloud blue'), not('cloud')] }],
  ['company', { keywords: [all('red', 'blue sky'), not('sky red')] }],
  ['company', { keywords: [is('Red Cloud'), not('cloud red')] }],
  ['company', { keywords: [is('Red Cloud'), is('Blue Cloud')] }],
  ['company', { keywords: [any('red'), any('blue', 'green'), not('red blue', 'green')] }],
  ['person', { age: [more(30), less(31)] }],
  ['person', { age: more(200), birthDate: more('1900-01-01') }],
  ['person', { gender: [any('FEMALE'), any('MALE')] }],
  ['deal', { id: [less(1), more(1)] }],
  ['deal', { isEstimate: [any(true), not(true)] }],
  ['deal', { status: [any('PAST'), not('PAST', 'FUTURE')] }],
  ['deal', { status: any('FUTURE'), startDate: less('2026-03-01') }],
  ['deal', { status: any('PAST'), endDate: more('2026-02-27') }],
  ['deal', { status: any('ACTIVE', 'PAST'), startDate: more('2026-02-28') }],
  ['deal', { startDate: [more('2025-01-01'), less('2025-01-02')] }],
  ['deal', { sportId: [{ values: [2, 3], comparison: 'BETWEEN' }, not(2, 3)] }],
  ['deal', { buyerCompanyNormalizedKeywords: [any('Acme'), not('ACME', 'b')] }],
];

const satisfiable: [FilterEntity, Record<string, unknown>][] = [
  ['company', {}],
  ['company', { employeeCount: [more(5), less(7)] }],
  ['company', { country: [not('DE'), not('CH')] }],
  ['company', { region: [any('DACH'), any('europe')] }],
  ['company', { region: [any('DACH', 1), not('DACH')] }],
  ['company', { keywords: [any('red', 'blue'), not('red')] }],
  ['company', { keywords: [any('red'), not('red blue')] }],
  ['person', { identity: [is('a'), is('b')] }],
  ['deal', { isEstimate: [not(true), not(false)] }],
  ['deal', { status: any('PAST'), startDate: not('2020-01-01') }],
  ['deal', { status: any('PAST'), startDate: less('2026-02-28') }],
  ['deal', { status: any('ACTIVE'), endDate: any('2026-02-28') }],
  ['deal', { sportId: [more(3), less(2)] }],
];

describe('a filter that contradicts itself', () => {
  it.each(contradictions)('is recognised: %s %j', (entity, filter) => {
    expect(isContradictory(parse(entity, filter))).toBe(true);
  });

  it.each(satisfiable)('is not one that a record can satisfy: %s %j', (entity, filter) => {
    expect(isContradictory(parse(entity, filter))).toBe(false);
  });

  it.each(['company', 'person', 'deal'] as const)('never matches a %s, whatever is drawn', (entity) => {
    const seed = 20_261_124;
    const records = fc.sample(recordOf(entity), { seed, numRuns: 300 });
    const filters = fc.sample(filterOf(entity), { seed, numRuns: 2000 }).map((filter) => parse(entity, filter));
    const contradictory = filters.filter(isContradictory);
    expect(contradictory.length).toBeGreaterThan(20);
    for (const filter of contradictory) {
      const found = records.find((record) => evaluateFilter(filter, record));
      expect({ filter, found }).toEqual({ filter, found: undefined });
    }
  });

  it('says at once that nothing matches, and others stay as they are', () => {
    const [first, second] = contradictions.map(([, filter]) => filter);
    const key = (filter: Record<string, unknown>) => canonicalKey(reduceContradiction(parse('company', filter)));
    expect(reduceContradiction(parse('company', first!)).conditions).toMatchObject([{ op: 'nothing' }]);
    expect(key(first!)).toBe(key(second!));
    const other = parse('company', { country: any('DE') });
    expect(reduceContradiction(other)).toBe(other);
  });

  it('is recognised in either case of a condition only if both exclude themselves', () => {
    const inNone = { field: 'a', op: 'in', column: 'a', type: 'text', values: [], isNegated: false } as const;
    const inOne = { ...inNone, values: ['x'] } as const;
    const either = (...conditions: (typeof inNone | typeof inOne)[]) =>
      isContradictory({ entity: 'contact', today: '', conditions: [{ field: '', op: 'either', conditions }] });
    expect([either(inNone, inNone), either(inNone, inOne), either()]).toEqual([true, false, true]);
  });

  it('is not looked for where that would take more than 20,000 comparisons', () => {
    const isRecognised = (field: string, positive: typeof any, values: unknown[]) =>
      isContradictory(parse('deal', { [field]: [positive(...values), not(...values)] }));
    const phrases = (count: number) => Array.from({ length: count }, (_, place) => `a${place} b${place}`);
    const numbers = (count: number) => Array.from({ length: count }, (_, place) => 2 * place);
    expect(isRecognised('title', any, phrases(140))).toBe(true);
    expect(isRecognised('title', any, phrases(150))).toBe(false);
    expect(isRecognised('sportId', all, numbers(140))).toBe(true);
    expect(isRecognised('sportId', all, numbers(150))).toBe(false);
  });
});

describe('intervals', () => {
  const intervals = fc
    .array(
      fc.tuple(fc.integer({ min: 0, max: 20 }), fc.integer({ min: -2, max: 5 })).map(([first, length]) => ({
        first: BigInt(first),
        last: BigInt(first + length),
      })),
      { maxLength: 6 },
    )
    .map(union);
  const places = Array.from({ length: 30 }, (_, place) => BigInt(place));
  const has = (set: ReturnType<typeof union>, value: bigint) =>
    set.some(({ first, last }) => first <= value && value <= last);

  it('are joined, intersected and subtracted number by number', () => {
    fc.assert(
      fc.property(intervals, intervals, (left, right) => {
        for (const value of places) {
          expect(has(union([...left, ...right]), value)).toBe(has(left, value) || has(right, value));
          expect(has(intersection(left, right), value)).toBe(has(left, value) && has(right, value));
          expect(has(difference(left, right), value)).toBe(has(left, value) && !has(right, value));
        }
      }),
    );
  });
});
