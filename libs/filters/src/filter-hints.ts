// Guesses which filter a caller who knows other APIs means. Used in error messages only.
import type { SearchComparison } from './enumerations.js';
import { shown } from './filter-error.js';

/** Names of other APIs, without regard to case and separators. */
const otherNames: Readonly<Record<SearchComparison, string>> = {
  IS: 'EQ EQUAL EQUALS EQUALTO IS_EQUAL_TO EXACT EXACTLY = ==',
  IS_ANY_OF: 'IN ANY ANY_OF ONE_OF IS_ONE_OF IS_IN CONTAINS CONTAINS_ANY HAS INCLUDES LIKE MATCH MATCHES SEARCH',
  IS_NOT_ANY_OF:
    'NOT NE NEQ NOT_EQUAL NOT_EQUALS IS_NOT NIN NOT_IN IS_NOT_IN NONE NONE_OF IS_NONE_OF NOT_ANY_OF NOT_CONTAINS EXCLUDES != <>',
  IS_ALL_OF: 'ALL ALL_OF CONTAINS_ALL HAS_ALL INCLUDES_ALL AND',
  BETWEEN: 'RANGE IN_RANGE IS_BETWEEN FROM_TO',
  MORE_THAN: 'GT GREATER GREATER_THAN IS_GREATER_THAN MORE ABOVE OVER AFTER LARGER_THAN BIGGER_THAN HIGHER_THAN >',
  MORE_OR_EQUALS_THAN:
    'GTE GE MIN MINIMUM AT_LEAST GREATER_OR_EQUAL GREATER_OR_EQUALS GREATER_THAN_OR_EQUAL GREATER_THAN_OR_EQUALS GREATER_THAN_OR_EQUAL_TO GREATER_OR_EQUAL_THAN GREATER_OR_EQUALS_THAN MORE_OR_EQUAL MORE_OR_EQUAL_THAN MORE_THAN_OR_EQUAL MORE_THAN_OR_EQUALS >=',
  LESS_THAN: 'LT LESS SMALLER SMALLER_THAN LOWER_THAN FEWER_THAN IS_LESS_THAN BELOW UNDER BEFORE <',
  LESS_OR_EQUALS_THAN:
    'LTE LE MAX MAXIMUM AT_MOST LESS_OR_EQUAL LESS_OR_EQUALS LESS_THAN_OR_EQUAL LESS_THAN_OR_EQUALS LESS_THAN_OR_EQUAL_TO LESS_OR_EQUAL_THAN SMALLER_OR_EQUAL SMALLER_THAN_OR_EQUAL <=',
};

const charsMax = 40;
const keyOf = (name: string) => name.toUpperCase().replace(/[\s_-]/g, '');
const byKey = new Map(
  (Object.entries({ ...otherNames }) as [SearchComparison, string][]).flatMap(([comparison, names]) =>
    [comparison, ...names.split(' ')].map((name) => [keyOf(name), comparison]),
  ),
);

/** The comparison that another name is likely to mean: `GREATER_THAN` is MORE_THAN here. */
export function comparisonMeant(name: unknown): SearchComparison | undefined {
  return typeof name === 'string' && name.length <= charsMax ? byKey.get(keyOf(name)) : undefined;
}

/** The filter on a field that a bare value is likely to mean, as JSON: `"keywords": [{"values": ["software"], …}]`. */
export function filterExample(field: string, value: unknown): string {
  const isPlain = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
  const values = isPlain ? [value] : Array.isArray(value) ? (value as unknown[]).slice(0, 2) : ['…'];
  return `"${field}": [{"values": [${values.map(shown).join(', ')}], "comparison": "IS_ANY_OF"}]`;
}
