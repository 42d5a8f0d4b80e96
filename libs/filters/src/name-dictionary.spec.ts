import { describe, expect, it } from '@jest/globals';
import { NameDictionary } from './name-dictionary.js';

const names = NameDictionary.of({
  cities: [
    { id: '10001', name: 'Saint Paul, Minnesota', countryId: '1840' },
    { id: '10002', name: 'Portland, Oregon', countryId: '1840' },
    { id: '10003', name: 'Portland, Maine', countryId: '1840' },
    { id: '10004', name: 'Zürich', countryId: '1756' },
  ],
  skills: [{ id: 1, name: 'C++' }],
});

describe('NameDictionary', () => {
  it.each([
    ['country', 'Switzerland', [1756]],
    ['country', 'SWITZERLAND', [1756]],
    ['country', 'ch', [1756]],
    ['country', 'CHE', [1756]],
    ['country', 'U.S.A.', [1840]],
    ['country', "Côte d'Ivoire", [1384]],
    ['country', 'cote d ivoire', [1384]],
    ['country', 'Turkey', [1792]],
    ['country', 'Bosnia & Herzegovina', [1070]],
    ['country', '1756', [1756]],
    ['country', 1756, [1756]],
    ['region', 'dach', [4]],
    ['region', 'UK and Ireland', [6]],
    ['location', 'zurich', [10004]],
    ['location', 'ZÜRICH, Switzerland', [10004]],
    ['location', 'Saint Paul, Minnesota, USA', [10001]],
    ['location', 'Saint Paul, Minnesota, Germany', []],
    ['location', 'saint-paul minnesota', [10001]],
    ['location', 'Portland', [10002, 10003]],
    ['location', 'Oregon', [10002]],
    ['location', 'Switzerland', [1756]],
    ['industry', 'Aerospace___Defense', [1]],
    ['industry', 'Aerospace and Defense', [1]],
    ['skill', 'c', [1]],
  ] as const)('finds %s %j as %j', (vocabulary, name, ids) => {
    const resolution = names.resolve(vocabulary, name);
    expect('ids' in resolution ? [...resolution.ids].sort() : []).toEqual(ids);
  });

  it('offers the nearest names, the nearest first', () => {
    const nearest = (name: string) => (names.resolve('country', name) as { nearest: string[] }).nearest;
    expect(nearest('Swizerland')[0]).toBe('Switzerland');
    expect(nearest('Untied States')).toEqual(['United States']);
    expect(names.resolve('region', 'Europ')).toMatchObject({ nearest: expect.arrayContaining(['Europe']) });
    expect(names.resolve('location', 'Zuerich')).toMatchObject({ nearest: expect.arrayContaining(['Zürich']) });
  });

  it('knows no id outside the vocabulary, and no name without a letter or digit', () => {
    expect(names.resolve('region', 1756)).toEqual({ nearest: [] });
    expect(names.resolve('country', '99999999999999999999')).toEqual({ nearest: expect.any(Array) });
    expect(names.resolve('country', '—')).toEqual({ nearest: [] });
  });
});
