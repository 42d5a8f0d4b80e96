export type { Country, Industry, Region, Sector } from './reference/reference.js';
export { countries } from './reference/countries.generated.js';
export { industries, sectors } from './reference/industries.generated.js';
export { regions } from './reference/regions.generated.js';
export * from './compile-filter.js';
export { isContradictory, reduceContradiction } from './contradiction.js';
export * from './enumerations.js';
export * from './evaluate-filter.js';
export * from './filter-error.js';
export * from './filter-hints.js';
export * from './filter-fields.js';
export * from './money-amount.js';
export * from './name-dictionary.js';
export {
  canonicalKey,
  type Bound,
  type Condition,
  type NormalisedFilter,
  type Range,
  type RecordEntity,
} from './normalised-filter.js';
export * from './opensearch-fields.js';
export * from './opensearch-query.js';
export * from './parse-filters.js';
export { nameCharsMax, valuesMaxPerFilter } from './parse-value.js';
export { dateOf, daysBetween, integerOf, type Integer, type Scalar } from './scalars.js';
export * from './text.js';
