import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { evaluateFilter } from './evaluate-filter.js';
import { FilterError } from './filter-error.js';
import { type FilterEntity, filterFields } from './filter-fields.js';
import { NameDictionary } from './name-dictionary.js';
import { parseFilters } from './parse-filters.js';

const names = NameDictionary.of({
  cities: [
    { id: 10000, name: 'Dublin', countryId: 1372 },
    { id: 10001, name: 'Los Angeles, California', countryId: 1840 },
  ],
  skills: [
    { id: 1, name: 'Negotiation' },
    { id: 2, name: 'Sponsorship' },
  ],
  languages: [
    { id: 1, name: 'English' },
    { id: 2, name: 'French' },
    { id: 3, name: 'German' },
  ],
});
const parse = (entity: FilterEntity, filter: Record<string, unknown>, today = '2026-11-21') =>
  parseFilters(entity, filter, { today, names });

function errorOf(entity: FilterEntity, filter: Record<string, unknown>): FilterError {
  try {
    parse(entity, filter);
  } catch (error) {
    if (error instanceof FilterError) return error;
    throw error;
  }
  throw new Error(`${JSON.stringify(filter)} was accepted`);
}

describe('parseFilters', () => {
  it('uses IS_ANY_OF when no comparison is given', () => {
    expect(parse('company', { country: [{ values: ['DE'] }] })).toEqual(
      parse('company', { country: [{ values: ['Germany'], comparison: 'IS_ANY_OF' }] }),
    );
  });

  it('reads a bare object as a list of one, and null as absent', () => {
    expect(parse('company', { country: { values: 'DE' }, industry: null })).toEqual(
      parse('company', { country: [{ values: ['DE'] }] }),
    );
    expect(parseFilters('deal', null, { today: '2026-11-21', names }).conditions).toEqual([]);
  });

  it('reads integers as numbers, as digits, and beyond 2^53', () => {
    expect(parse('company', { revenue: [{ values: ['9000000000'] }] })).toEqual(
      parse('company', { revenue: [{ values: [9_000_000_000] }] }),
    );
    expect(parse('company', { revenue: [{ values: ['9007199254740993'] }] }).conditions).toMatchObject([
      { values: [9007199254740993n] },
    ]);
  });

  it('joins several objects and fields by AND', () => {
    const filter = parse('company', {
      numberOfEmployees: [
        { values: [10], comparison: 'MORE_THAN' },
        { values: [20], comparison: 'LESS_THAN' },
      ],
      country: [{ values: ['DE'] }],
    });
    const matches = (number_of_employees: number, country_id = 1276) =>
      evaluateFilter(filter, { number_of_employees, country_id });
    expect([10, 11, 19, 20].map((count) => matches(count))).toEqual([false, true, true, false]);
    expect(matches(15, 1840)).toBe(false);
  });

  it.each([
    ['company', { country: [{ values: [] }] }, 'country IS_ANY_OF: needs at least one value, got 0'],
    ['company', { country: [{}] }, 'country IS_ANY_OF: needs at least one value, got 0'],
    ['company', { revenue: [{ values: [1], comparison: 'BETWEEN' }] }, 'revenue BETWEEN: takes exactly two values'],
    [
      'company',
      { revenue: [{ values: [1, 2, 3], comparison: 'BETWEEN' }] },
      'revenue BETWEEN: takes exactly two values',
    ],
    [
      'company',
      { revenue: [{ values: [2, 1], comparison: 'BETWEEN' }] },
      'the first value 2 is greater than the second 1',
    ],
    [
      'company',
      { revenue: [{ values: [1, 2], comparison: 'MORE_THAN' }] },
      'revenue MORE_THAN: takes exactly one value, got 2',
    ],
    [
      'company',
      { industry: [{ values: ['Airlines', 'Tires'], comparison: 'IS' }] },
      'industry IS: takes exactly one value, got 2',
    ],
    [
      'company',
      { industry: [{ values: ['Airlines'], comparison: 'BETWEEN' }] },
      'industry: the comparison BETWEEN makes no sense here',
    ],
    [
      'company',
      { topMarkets: [{ values: ['DACH'], comparison: 'IS_ALL_OF' }] },
      'topMarkets: the comparison IS_ALL_OF makes no sense',
    ],
    [
      'company',
      { keywords: [{ values: ['x'], comparison: 'MORE_THAN' }] },
      'keywords: the comparison MORE_THAN makes no sense',
    ],
    ['company', { country: [{ values: ['DE'], comparison: 'EQUALS' }] }, 'country: "EQUALS" is not a comparison'],
    ['company', { country: [{ values: ['DE'], comparison: 'toString' }] }, 'country: "toString" is not a comparison'],
    [
      'company',
      { country: [{ values: ['Germny'] }] },
      'country IS_ANY_OF: there is no country "Germny"; did you mean Germany',
    ],
    ['company', { country: [{ values: ['EU'] }] }, 'there is no country "EU"; the filter region or location knows it'],
    ['company', { location: [{ values: ['Dublinn'] }] }, 'there is no location "Dublinn"; did you mean Dublin'],
    [
      'company',
      { industry: [{ values: ['Acounting'] }] },
      '"Acounting" is not a member of the enum Industry; did you mean Accounting',
    ],
    [
      'person',
      { skills: [{ values: ['Negotiation', 'Negociation'] }] },
      'skills IS_ANY_OF: there is no skill "Negociation"; did you mean Negotiation',
    ],
    ['person', { skills: [{ values: [99] }] }, 'skills IS_ANY_OF: there is no skill 99'],
    [
      'person',
      { languageIds: [{ values: ['Frensh'], comparison: 'IS_NOT_ANY_OF' }] },
      'languageIds IS_NOT_ANY_OF: there is no language "Frensh"; did you mean French',
    ],
    ['person', { languageIds: [{ values: [9] }] }, 'there is no language 9'],
    [
      'company',
      { revenue: [{ values: [1], comparison: 'GREATER_THAN' }] },
      '"GREATER_THAN" is not a comparison; use MORE_THAN',
    ],
    [
      'company',
      { revenue: [{ values: [1], comparison: 'gte' }] },
      '"gte" is not a comparison; use MORE_OR_EQUALS_THAN',
    ],
    [
      'company',
      { country: [{ values: ['DE'], comparison: '>' }] },
      '">" is not a comparison; use one of IS, IS_ANY_OF',
    ],
    [
      'company',
      { keywords: 'software' },
      'for example "keywords": [{"values": ["software"], "comparison": "IS_ANY_OF"}]',
    ],
    ['company', { keywords: [{ values: ['a'.repeat(301)] }] }, 'is not a text of at most 300 characters'],
    [
      'company',
      { keywords: [{ values: [`a${'\u0301\u0316'.repeat(40_000)}`] }] },
      'is not a text of at most 300 characters',
    ],
    [
      'company',
      { country: [{ values: [`a${'\u0301\u0316'.repeat(40_000)}`] }] },
      'is not a name (at most 300 characters)',
    ],
    [
      'company',
      { industry: [{ values: [`a${'\u0301\u0316'.repeat(40_000)}`] }] },
      'is not a member of the enum Industry',
    ],
    ['company', { keywords: [{ values: ['㍿'.repeat(300)] }] }, 'has a word that is too long'],
    [
      'person',
      { name: [{ values: Array.from({ length: 500 }, (_, index) => `${index}${'㍿'.repeat(140)}`) }] },
      'name IS_ANY_OF: takes texts of at most 200000 bytes together',
    ],
    ['company', { numberOfEmployees: [{ values: [1.5] }] }, 'numberOfEmployees IS_ANY_OF: 1.5 is not an integer'],
    ['company', { numberOfEmployees: [{ values: ['1e3'] }] }, '"1e3" is not an integer'],
    ['company', { revenue: [{ values: ['9223372036854775808'] }] }, 'is not an integer'],
    ['company', { keywords: [{ values: ['&&'] }] }, 'keywords IS_ANY_OF: "&&" has no letter or digit to search for'],
    ['company', { keywords: ['cloud'] }, 'keywords: a filter is an object {values, comparison}, got "cloud"'],
    [
      'company',
      { keywords: [{ value: ['cloud'] }] },
      'keywords: a filter object has values and comparison, not "value"',
    ],
    [
      'company',
      { industy: [{ values: ['Airlines'] }] },
      'industy: company filters have no such field; did you mean industry',
    ],
    ['person', { gender: [{ values: ['male'] }] }, 'gender IS_ANY_OF: "male" is not one of MALE, FEMALE, OTHER'],
    ['person', { age: [{ values: [-1] }] }, 'age IS_ANY_OF: -1 is not an age in whole years'],
    [
      'person',
      { birthDate: [{ values: ['2023-02-29'] }] },
      'birthDate IS_ANY_OF: "2023-02-29" is not a date of the form YYYY-MM-DD',
    ],
    ['person', { birthDate: [{ values: ['1980-1-1'] }] }, 'is not a date'],
    ['deal', { isEstimate: [{ values: ['maybe'] }] }, 'isEstimate IS_ANY_OF: "maybe" is not true or false'],
    [
      'deal',
      { type: [{ values: ['ENDORSEMENT'] }] },
      'type IS_ANY_OF: "ENDORSEMENT" is not one of SPONSORSHIP, MEDIA, FULL_DEAL, RELATIONSHIP',
    ],
    [
      'deal',
      { id: [{ values: Array.from({ length: 501 }, (_, index) => index) }] },
      'id IS_ANY_OF: takes at most 500 values, got 501',
    ],
    ['deal', { id: Array.from({ length: 21 }, () => ({ values: [1] })) }, 'id: at most 20 filter objects, got 21'],
  ] as const)('refuses %s %j', (entity, filter, message) => {
    const error = errorOf(entity, filter);
    expect(error.message).toContain(message);
    expect(error.code).toBe('BAD_USER_INPUT');
    expect(error.field).toBe(Object.keys(filter)[0]);
  });

  it('gives comparison, value and suggestions as fields of the error', () => {
    expect(errorOf('company', { country: [{ values: ['Germny'], comparison: 'IS' }] })).toMatchObject({
      field: 'country',
      comparison: 'IS',
      value: 'Germny',
      suggestions: expect.arrayContaining(['Germany']),
    });
  });

  it('refuses every comparison that a field lacks, and accepts every one that it has', () => {
    const comparisons = [
      'IS',
      'IS_ANY_OF',
      'IS_NOT_ANY_OF',
      'IS_ALL_OF',
      'BETWEEN',
      'MORE_THAN',
      'MORE_OR_EQUALS_THAN',
      'LESS_THAN',
      'LESS_OR_EQUALS_THAN',
    ] as const;
    for (const field of Object.values(filterFields).flat()) {
      const [value] = field.example;
      for (const comparison of comparisons) {
        const filter = { [field.name]: [{ values: comparison === 'BETWEEN' ? [value, value] : [value], comparison }] };
        const attempt = () => parseFilters(field.entity, filter, { today: '2026-11-21', names });
        if (field.comparisons.includes(comparison)) expect(attempt).not.toThrow();
        else expect(attempt).toThrow(`${field.name}: the comparison ${comparison} makes no sense here`);
      }
    }
  });

  it('accepts every example of docs/filters.md', () => {
    const page = readFileSync(new URL('../../../docs/filters.md', import.meta.url), 'utf8');
    const examples = page.split('\n## ').flatMap((chapter) => {
      const entity = /^(person|deal)s|^(compan)ies/.exec(chapter);
      if (!entity) return [];
      return [...chapter.matchAll(/`(\{.+\})` +\|$/gm)].map(([, json]) => ({
        entity: (entity[1] ?? 'company') as FilterEntity,
        filter: JSON.parse(json!) as Record<string, unknown>,
      }));
    });
    expect(examples.length).toBe(Object.values(filterFields).flat().length);
    for (const { entity, filter } of examples) {
      expect(() => parseFilters(entity, filter, { today: '2026-11-21', names })).not.toThrow();
    }
  });

  it('turns any input into a filter or a FilterError', () => {
    const entities = ['company', 'person', 'deal'] as const;
    const fieldNames = Object.values(filterFields)
      .flat()
      .map(({ name }) => name);
    const junk = fc.dictionary(
      fc.oneof(fc.constantFrom(...fieldNames), fc.string()),
      fc.oneof(
        fc.jsonValue(),
        fc.array(fc.record({ values: fc.jsonValue(), comparison: fc.jsonValue() }, { requiredKeys: [] }), {
          maxLength: 3,
        }),
      ),
      { maxKeys: 4 },
    );
    fc.assert(
      fc.property(fc.constantFrom(...entities), junk, (entity, filter) => {
        try {
          parse(entity, filter);
        } catch (error) {
          if (!(error instanceof FilterError)) throw error;
        }
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('age', () => {
  const ages = (filter: Record<string, unknown>, today: string, birthDate: string | null) =>
    evaluateFilter(parse('person', { age: [filter] }, today), { birth_date: birthDate });

  it.each([
    ['1996-11-21', '2026-11-21', true],
    ['1996-11-22', '2026-11-21', false],
    ['1995-11-22', '2026-11-21', true],
    ['1995-11-21', '2026-11-21', false],
    // Born on 29 February: a year older on 1 March of a common year.
    ['1996-02-29', '2026-02-28', false],
    ['1996-02-29', '2026-03-01', true],
  ])('born %s is 30 on %s: %s', (birthDate, today, expected) => {
    expect(ages({ values: [30] }, today, birthDate)).toBe(expected);
    expect(ages({ values: [30], comparison: 'IS_NOT_ANY_OF' }, today, birthDate)).toBe(!expected);
  });

  it('agrees with counting birthdays, on every day and comparison', () => {
    const date = fc
      .date({ min: new Date('1900-01-01'), max: new Date('2026-12-31'), noInvalidDate: true })
      .map((value) => value.toISOString().slice(0, 10));
    fc.assert(
      fc.property(date, date, fc.integer({ min: 0, max: 130 }), (birthDate, today, years) => {
        if (birthDate > today) return;
        const age =
          Number(today.slice(0, 4)) - Number(birthDate.slice(0, 4)) - (today.slice(5) < birthDate.slice(5) ? 1 : 0);
        expect(ages({ values: [years] }, today, birthDate)).toBe(age === years);
        expect(ages({ values: [years], comparison: 'MORE_THAN' }, today, birthDate)).toBe(age > years);
        expect(ages({ values: [years], comparison: 'MORE_OR_EQUALS_THAN' }, today, birthDate)).toBe(age >= years);
        expect(ages({ values: [years], comparison: 'LESS_THAN' }, today, birthDate)).toBe(age < years);
        expect(ages({ values: [years], comparison: 'LESS_OR_EQUALS_THAN' }, today, birthDate)).toBe(age <= years);
      }),
      { numRuns: 1_000 },
    );
  });

  it('of a person without a day of birth matches IS_NOT_ANY_OF alone', () => {
    expect(ages({ values: [30] }, '2026-11-21', null)).toBe(false);
    expect(ages({ values: [0], comparison: 'MORE_OR_EQUALS_THAN' }, '2026-11-21', null)).toBe(false);
    expect(ages({ values: [30], comparison: 'IS_NOT_ANY_OF' }, '2026-11-21', null)).toBe(true);
  });
});
