// Generated companies and structured filters on them. Both take values from the same small pools, so that filters match
// often, and edge cases: nulls, empty lists, repeated elements, integers of 64 bits.
import {
  countries,
  type FilterField,
  filterFields,
  type FilterRecord,
  industries,
  NameDictionary,
  type NormalisedFilter,
  parseFilters,
} from '@tradewind/filters';
import fc from 'fast-check';
import { cities } from './reference-data.js';

const countryIds = new Map(countries.map(({ id, alpha2 }) => [alpha2, id]));
export const names = NameDictionary.of({
  cities: cities.map(({ id, name, country }) => ({ id, name, countryId: countryIds.get(country)! })),
  skills: [],
});
export const today = '2026-11-22';

const numbers = [0n, 1n, 2n, 17n, 1000n, 2_147_483_648n, 9_007_199_254_740_993n, 9_223_372_036_854_775_807n];
const edges = [-1n, -9_223_372_036_854_775_808n];
const number = fc.oneof(fc.constantFrom(...numbers), fc.bigInt(0n, 5000n)).map(String);
const regionIds = [1, 2, 3, 4, 5, 6, 7, 38, 39];
const locationIds = [...regionIds, countryIds.get('CH')!, countryIds.get('DE')!, ...cities.map(({ id }) => id)];
// The first ones far more often, so that there are frequent and rare values.
const skewed = <T>(pool: readonly T[]) =>
  fc.nat({ max: pool.length ** 2 - 1 }).map((n) => pool[Math.floor(Math.sqrt(n))]!);
const list = (pool: readonly number[]) => fc.array(skewed(pool), { maxLength: 5 });
const orNull = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { freq: 6 });
const somePlaces = [...countryIds.values()].slice(0, 40);
const someIndustries = industries.slice(0, 60);

/** What the index reads of a row. */
export const generatedRecord: fc.Arbitrary<FilterRecord> = fc.record({
  industry_id: orNull(skewed(someIndustries.map(({ id }) => id))),
  country_id: orNull(skewed(somePlaces)),
  region_ids: list(regionIds),
  headquarters_location_ids: list(locationIds),
  location_ids: list(locationIds),
  top_market_region_ids: list(regionIds),
  office_region_ids: list(regionIds),
  number_of_employees: orNull(number),
  revenue_amount: orNull(number),
});

/** Ascending ids with gaps, the highest of them past 2^53. */
export function generatedIds(count: number): bigint[] {
  return Array.from({ length: count }, (_, index) =>
    index < count - 20 ? BigInt(index * 3 + (index % 2) + 1) : 9_223_372_036_854_775_807n - BigInt(count - index),
  );
}

function valueOf(field: FilterField): fc.Arbitrary<unknown> {
  switch (field.value.kind) {
    case 'industry':
      return skewed(someIndustries.map(({ member }) => member));
    case 'name':
      return field.value.vocabulary === 'region'
        ? skewed(regionIds)
        : field.value.vocabulary === 'country'
          ? skewed(somePlaces)
          : skewed(locationIds);
    default:
      return fc.oneof(fc.constantFrom(...numbers, ...edges), fc.bigInt(0n, 5000n)).map(String);
  }
}

function objectOf(field: FilterField): fc.Arbitrary<unknown> {
  const value = valueOf(field);
  return fc.constantFrom(...field.comparisons).chain((comparison) => {
    const isSingle = comparison === 'IS' || comparison.startsWith('MORE') || comparison.startsWith('LESS');
    const values = isSingle
      ? fc.tuple(value)
      : comparison === 'BETWEEN'
        ? fc
            .tuple(value, value)
            .map((pair) => pair.sort((a, b) => (BigInt(a as string) < BigInt(b as string) ? -1 : 1)))
        : fc.array(value, { minLength: 1, maxLength: comparison === 'IS_ALL_OF' ? 2 : 4 });
    return values.map((each) => ({ values: each, comparison }));
  });
}

const structuredFields = filterFields.company.filter(({ stored }) => stored.shape !== 'words');

/** Argument objects with one to three structured fields of one or two conditions each, and sometimes with none. */
export const structuredInput: fc.Arbitrary<Record<string, unknown>> = fc
  .uniqueArray(fc.constantFrom(...structuredFields), { maxLength: 3 })
  .chain((fields) =>
    fc.record(
      Object.fromEntries(
        fields.map((field) => [field.name, fc.array(objectOf(field), { minLength: 1, maxLength: 2 })]),
      ),
    ),
  );

export const structuredFilter: fc.Arbitrary<NormalisedFilter> = structuredInput.map((input) =>
  parseFilters('company', input, { today, names }),
);
