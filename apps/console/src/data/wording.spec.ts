import { describe, expect, it } from '@jest/globals';
import { entities } from './schema.generated.js';
import type { EntityName, RecordField } from './schema.types.js';
import { comparisonLabel, labelOf, valueText } from './wording.js';

const field = (entity: EntityName, name: string): RecordField =>
  entities[entity].fields.find((one) => one.name === name)!;

describe('how fields and values read', () => {
  it.each([
    ['numberOfEmployees', 'Number of employees'],
    ['person.languageIds', 'Person: language ids'],
    ['websiteUrl', 'Website address'],
    ['id', 'Id'],
  ])('%s is %s', (key, label) => expect(labelOf(key)).toBe(label));

  it('a comparison reads as its field does', () => {
    expect(comparisonLabel({ kind: 'date' }, 'MORE_THAN')).toBe('is after');
    expect(comparisonLabel({ kind: 'money' }, 'MORE_THAN')).toBe('is more than');
    expect(comparisonLabel({ kind: 'text' }, 'IS_ANY_OF')).toBe('has the words of any of');
    expect(comparisonLabel({ kind: 'name' }, 'IS_ANY_OF')).toBe('is any of');
  });

  it.each<[EntityName, string, unknown, string | undefined]>([
    ['companies', 'revenue', { value: 1.25, multiplier: 'BILLIONS', currency: 'USD' }, 'USD 1.25 billion'],
    ['companies', 'revenue', { value: null, multiplier: null, currency: null }, undefined],
    ['companies', 'foundedYear', 1902, '1902'],
    ['companies', 'numberOfEmployees', 92_000, '92,000'],
    ['companies', 'isPublic', false, 'no'],
    ['companies', 'country', { id: '1756', name: 'Switzerland' }, 'Switzerland'],
    ['companies', 'industry', { id: '7', name: null }, 'id 7'],
    ['companies', 'ticker', null, undefined],
    ['persons', 'skills', ['Negotiation', 'Law'], 'Negotiation, Law'],
    ['persons', 'skills', [], undefined],
    ['persons', 'identifiers', [{ name: 'x', value: 'ada' }], 'x: ada'],
    [
      'persons',
      'salary',
      { grossSalary: { value: 80, multiplier: 'THOUSANDS', currency: 'EUR' }, grossSalaryLowerRange: null },
      'EUR 80 thousand',
    ],
    [
      'persons',
      'salary',
      {
        grossSalary: { value: 80, multiplier: 'THOUSANDS', currency: 'EUR' },
        grossSalaryLowerRange: { value: 70, multiplier: 'THOUSANDS', currency: 'EUR' },
        grossSalaryUpperRange: { value: 90, multiplier: 'THOUSANDS', currency: 'EUR' },
      },
      'EUR 80 thousand (EUR 70 thousand to EUR 90 thousand)',
    ],
    ['persons', 'salary', { grossSalary: null }, undefined],
    ['deals', 'type', 'FULL_DEAL', 'Full deal'],
    ['deals', 'totalDigitalImpressions', '9007199254740993', '9007199254740993'],
  ])('%s %s %j is %j', (entity, name, value, text) => {
    expect(valueText(field(entity, name), value)).toBe(text);
  });
});
