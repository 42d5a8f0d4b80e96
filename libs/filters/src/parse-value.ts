// Parses one value of a filter, as it was sent, into the scalars that it means.
import type { SearchComparison } from './enumerations.js';
import { type FilterField, filterFields } from './filter-fields.js';
import { FilterError, shown, UnknownNameError } from './filter-error.js';
import type { NameDictionary } from './name-dictionary.js';
import { nearestOf } from './nearest.js';
import { industries } from './reference/industries.generated.js';
import { dateOf, integerOf, type Scalar } from './scalars.js';
import { normaliseText, searchTextFault } from './text.js';

/** Values of one filter object; keeps statements and plans small. */
export const valuesMaxPerFilter = 500;

/** Characters of a name; no name of a vocabulary is longer. */
export const nameCharsMax = 300;

/** Ages beyond this are a typing error. */
const ageMaxYears = 200;

const industryIds = new Map(industries.map((industry) => [industry.member, industry.id]));

/** @throws FilterError when the value is not one of the field's value type. */
export function parseValue(
  field: FilterField,
  comparison: SearchComparison,
  value: unknown,
  names: NameDictionary,
): readonly Scalar[] {
  const refuse = (problem: string, suggestions: readonly string[] = [], Fault = FilterError): never => {
    const hint = suggestions.length > 0 ? `; did you mean ${suggestions.join(', ')}?` : '';
    throw new Fault(`${field.name} ${comparison}: ${problem}${hint}`, {
      field: field.name,
      comparison,
      value,
      suggestions,
    });
  };
  switch (field.value.kind) {
    case 'integer':
    case 'money':
      return [integerOf(value) ?? refuse(`${shown(value)} is not an integer (a number or digits, at most 64 bits)`)];
    case 'age': {
      const age = integerOf(value);
      if (age === undefined || age < 0 || age > ageMaxYears) {
        return refuse(`${shown(value)} is not an age in whole years (0 to ${ageMaxYears})`);
      }
      return [age];
    }
    case 'date':
      return [dateOf(value) ?? refuse(`${shown(value)} is not a date of the form YYYY-MM-DD`)];
    case 'boolean':
      if (value === true || value === 'true') return [true];
      if (value === false || value === 'false') return [false];
      return refuse(`${shown(value)} is not true or false`);
    case 'member': {
      const { members } = field.value;
      if (typeof value === 'string' && members.includes(value)) return [value];
      return refuse(`${shown(value)} is not one of ${members.join(', ')}`);
    }
    case 'industry': {
      const id = typeof value === 'string' ? industryIds.get(value) : undefined;
      return [
        id ??
          refuse(
            `${shown(value)} is not a member of the enum Industry`,
            typeof value === 'string' ? nearestOf(value.slice(0, nameCharsMax), [...industryIds.keys()]) : [],
          ),
      ];
    }
    case 'text': {
      const fault = searchTextFault(value);
      // A value without a fault is a string.
      return fault === undefined ? [normaliseText(value as string)] : refuse(`${shown(value)} ${fault}`);
    }
    case 'name': {
      const isName = typeof value === 'string' && value.length <= nameCharsMax && value.trim() !== '';
      if (!isName && integerOf(value) === undefined) {
        return refuse(`${shown(value)} is not a name (at most ${nameCharsMax} characters) or an id`);
      }
      const { vocabulary } = field.value;
      const resolution = names.resolve(vocabulary, value as string | number | bigint);
      if ('ids' in resolution) return resolution.ids;
      const others = fieldsThatKnow(value as string | number | bigint, field, names);
      const hint = others.length > 0 ? `; the filter ${others.join(' or ')} knows it` : '';
      return refuse(`there is no ${vocabulary} ${shown(value)}${hint}`, resolution.nearest, UnknownNameError);
    }
  }
}

/**
 * A filter of the same entity for each other vocabulary of places that knows the name: `EU` is no country, but a
 * region.
 */
function fieldsThatKnow(name: string | number | bigint, field: FilterField, names: NameDictionary): string[] {
  const places = filterFields[field.entity].flatMap((other) =>
    other.value.kind === 'name' && other.value.vocabulary !== 'skill' ? [[other.value.vocabulary, other.name]] : [],
  );
  return (['region', 'country', 'location'] as const)
    .filter((vocabulary) => 'ids' in names.resolve(vocabulary, name))
    .flatMap((vocabulary) => {
      const fields = places.filter(([of]) => of === vocabulary).map(([, fieldName]) => fieldName!);
      return fields.includes(vocabulary) ? [vocabulary] : fields.slice(0, 1);
    });
}
