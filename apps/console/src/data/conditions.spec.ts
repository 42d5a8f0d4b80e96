import { describe, expect, it } from '@jest/globals';
import {
  amountOf,
  conditionsFromText,
  conditionsToText,
  faultOf,
  fieldKey,
  findField,
  newCondition,
  sortKey,
  variablesOf,
  wholeNumber,
  withComparison,
  type Condition,
} from './conditions.js';
import { entities, enumerations } from './schema.generated.js';
import type { EntityName, FilterField } from './schema.types.js';

const names = Object.keys(entities) as EntityName[];
const field = (entity: EntityName, key: string) => findField(entities[entity], key)!;
const condition = (key: string, comparison: Condition['comparison'], ...values: string[]): Condition => ({
  ...{ field: key, comparison, values },
});

/** Values that a field takes, as somebody types them. */
const valuesOf: Record<FilterField['kind'], [string, string]> = {
  integer: ['3', '9000000000000000001'],
  decimal: ['0.5', '1'],
  money: ['1,000,000', '2 000 000'],
  age: ['30', '45'],
  date: ['2025-01-31', '2026-02-28'],
  instant: ['2026-01-01T10:00', '2026-01-02T10:00'],
  boolean: ['true', 'false'],
  text: [`O'Neil "& sons" \\ ü`, '日本'],
  member: ['MALE', 'FEMALE'],
  name: ['Dublin, Ireland', '42'],
};

function everyCondition(entity: EntityName): Condition[] {
  return entities[entity].filters.flatMap((one) => {
    const [first, second] = one.members
      ? [enumerations[one.members]![0]!.member, enumerations[one.members]![1]!.member]
      : valuesOf[one.kind];
    const comparisons = one.comparisons.length === 0 ? [undefined] : one.comparisons;
    return comparisons.map((comparison) =>
      amountOf(one, comparison) === 'one'
        ? condition(fieldKey(one), comparison, first)
        : condition(fieldKey(one), comparison, first, second),
    );
  });
}

describe('a filter in an address', () => {
  it.each(names)('is the same after it was read again, for every field and comparison of %s', (entity) => {
    const conditions = everyCondition(entity);
    expect(conditions.length).toBeGreaterThan(20);
    const text = new URLSearchParams({ where: conditionsToText(conditions)! }).toString();
    const read = conditionsFromText(entities[entity], new URLSearchParams(text).get('where')!);
    expect(read).toEqual({ conditions, leftOut: 0 });
  });

  it('keeps a condition that is not filled in yet', () => {
    const conditions = [newCondition(field('companies', 'revenue')), newCondition(field('deals', 'isExclusive'))];
    const text = conditionsToText(conditions.slice(0, 1));
    expect(text).toBe('[["revenue","MORE_OR_EQUALS_THAN"]]');
    expect(conditionsFromText(entities.companies, text)).toEqual({ conditions: conditions.slice(0, 1), leftOut: 0 });
    expect(conditionsToText([])).toBeUndefined();
    expect(conditionsFromText(entities.companies, undefined)).toEqual({ conditions: [], leftOut: 0 });
  });

  it.each([
    ['no JSON', '[["revenue"', 0, 1],
    ['no list', '{"revenue": 1}', 0, 1],
    ['a field of another entity', '[["skills","IS_ANY_OF","x"],["country","IS","DE"]]', 1, 1],
    ['a comparison that the field does not allow', '[["country","BETWEEN","a","b"]]', 0, 1],
    ['no comparison', '[["country","","a"],["country"]]', 0, 2],
    ['values that are no texts', '[["country","IS_ANY_OF",{"x":1}],["revenue","IS",1],null,7,[]]', 0, 5],
    ['a name of every object', '[["constructor","IS","x"],["__proto__","IS","x"]]', 0, 2],
  ])('leaves out and counts what it does not know: %s', (_what, text, kept, leftOut) => {
    const read = conditionsFromText(entities.companies, text);
    expect([read.conditions.length, read.leftOut]).toEqual([kept, leftOut]);
  });

  it('takes a filter without comparisons once', () => {
    const text = '[["email","","a@example.com"],["email","","b@example.com"]]';
    const { conditions, leftOut } = conditionsFromText(entities.contacts, text);
    expect([conditions, leftOut]).toEqual([[condition('email', undefined, 'a@example.com')], 1]);
  });
});

describe('names of fields', () => {
  it.each(names)('are unique in %s', (entity) => {
    const { filters, sorts } = entities[entity];
    for (const keys of [filters.map(fieldKey), sorts.map(sortKey)]) expect(new Set(keys).size).toBe(keys.length);
  });
});

describe('what is wrong with a condition', () => {
  it.each(names)('is nothing for right values of every field of %s', (entity) => {
    for (const one of everyCondition(entity)) {
      expect([one, faultOf(field(entity, one.field), one)]).toEqual([one, undefined]);
    }
  });

  it.each<[EntityName, Condition, string]>([
    ['companies', condition('country', 'IS_ANY_OF'), 'Enter at least one value.'],
    ['companies', condition('country', 'IS', ' '), 'Enter a value.'],
    ['companies', condition('revenue', 'BETWEEN', '', '3'), 'Enter both values.'],
    ['companies', condition('revenue', 'BETWEEN', '10', '9'), 'The first value must not be above the second.'],
    ['companies', condition('revenue', 'IS', '1.5'), '1.5 is not a whole number.'],
    ['companies', condition('revenue', 'IS', '1,00'), '1,00 is not a whole number.'],
    ['persons', condition('age', 'IS', '201'), '201 is not an age in whole years.'],
    ['persons', condition('birthDate', 'IS_ANY_OF', '1980-02-30'), '1980-02-30 is not a date of the form YYYY-MM-DD.'],
    [
      'persons',
      condition('birthDate', 'BETWEEN', '1981-01-01', '1980-01-01'),
      'The first value must not be above the second.',
    ],
    ['contacts', condition('updatedInLastHours', undefined, 'x'), 'x is not a number.'],
    ['contacts', condition('fromCreatedAt', undefined, 'x'), 'x is not a date with a time.'],
    ['deals', condition('isEstimate', 'IS', 'maybe'), 'Choose yes or no.'],
  ])('of %s %j is said: %s', (entity, one, fault) => {
    expect(faultOf(field(entity, one.field), one)).toBe(fault);
  });

  it('reads numbers with spaces and commas between thousands', () => {
    expect(wholeNumber('1,000,000')).toBe(1_000_000n);
    expect(wholeNumber('-9 000')).toBe(-9000n);
    expect(wholeNumber('1e3')).toBeUndefined();
    expect(wholeNumber('')).toBeUndefined();
  });

  it('keeps the values that another comparison takes', () => {
    const country = field('companies', 'country');
    const one = condition('country', 'IS_ANY_OF', 'DE', 'CH', 'AT');
    expect(withComparison(country, one, 'IS').values).toEqual(['DE']);
    expect(withComparison(country, one, 'IS_NOT_ANY_OF').values).toEqual(['DE', 'CH', 'AT']);
  });
});

describe('the variables of a request', () => {
  it('have each argument under its own name, and numbers beyond 2^53 as digits', () => {
    const conditions = [
      condition('revenue', 'BETWEEN', '1,000,000', '9007199254740993'),
      condition('revenue', 'IS_NOT_ANY_OF', '5', ''),
      condition('topMarkets', 'IS_ANY_OF', 'DACH', ' Nordics '),
      condition('topMarkets', 'IS_NOT_ANY_OF', 'EU'),
    ];
    expect(variablesOf(entities.companies, conditions)).toEqual({
      searchFilters: {
        revenue: [
          { values: [1_000_000, '9007199254740993'], comparison: 'BETWEEN' },
          { values: [5], comparison: 'IS_NOT_ANY_OF' },
        ],
      },
      topMarkets: [
        { values: ['DACH', 'Nordics'], comparison: 'IS_ANY_OF' },
        { values: ['EU'], comparison: 'IS_NOT_ANY_OF' },
      ],
    });
  });

  it('of contacts are values, and filters on the person', () => {
    const conditions = [
      condition('companyIds', undefined, '1', '2'),
      condition('email', undefined, 'ada@example.com'),
      condition('isCrm', undefined, 'false'),
      condition('updatedInLastHours', undefined, '0.5'),
      condition('fromCreatedAt', undefined, '2026-01-01T10:00'),
      condition('person.skills', 'IS_ALL_OF', 'Negotiation'),
    ];
    const sort = { by: 'person.AGE', isDescending: true };
    expect(variablesOf(entities.contacts, conditions, sort)).toEqual({
      filters: {
        companyIds: [1, 2],
        email: 'ada@example.com',
        isCrm: false,
        updatedInLastHours: 0.5,
        fromCreatedAt: '2026-01-01T10:00:00.000Z',
      },
      personSearchFilters: { skills: [{ values: ['Negotiation'], comparison: 'IS_ALL_OF' }] },
      ...{ personSortBy: 'AGE', sortOrder: 'DESC' },
    });
  });

  it('sort deals by what the service knows, and drop any other', () => {
    const by = (key: string) => variablesOf(entities.deals, [], { by: key, isDescending: false });
    expect(by('announcedDate')).toEqual({ sorters: [{ field: 'announcedDate', direction: 'ASC' }] });
    expect(by('constructor')).toEqual({});
  });
});
