import { describe, expect, it } from '@jest/globals';
import { NameDictionary } from './name-dictionary.js';

const names = NameDictionary.of({
  cities: [
    { id: '10001', name: 'Saint Paul, Minnesota', countryId: '1840' },
    { id: '10002', name: 'Portland, Oregon', countryId: '1840' },
    { id: '10003', name: 'Portland, Maine', countryId: '1840' },
    { id: '10004', name: 'Zürich', countryId: '1756' },
    { id: '10005', name: 'Munich', countryId: '1276' },
    { id: '10006', name: 'Köln, Nordrhein-Westfalen', countryId: '1276' },
    { id: '10007', name: 'New York City, New York', countryId: '1840' },
    { id: '10008', name: 'Philadelphia, Mississippi', countryId: '1840' },
    { id: '10009', name: 'Bangalore', countryId: '1356' },
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
    ['location', 'zurich switzerland', [10004]],
    ['location', 'Munich, Austria', []],
    ['location', 'EU', [19]],
    ['region', 'E.U.', [19]],
    ['region', 'LATAM', [42]],
    ['region', 'Asia-Pacific', [51]],
    ['country', 'UK', [1826]],
    ['country', 'England', [1826]],
    ['country', 'USA', [1840]],
    ['country', 'the US', [1840]],
    ['country', 'Holland', [1528]],
    ['country', 'Deutschland', [1276]],
    ['country', 'États-Unis', [1840]],
    ['country', 'Ελλάδα', [1300]],
    ['location', 'NYC', [10007]],
    ['location', 'New York', [10007]],
    ['location', 'Philly', []],
    ['location', 'München', [10005]],
    ['location', 'MUENCHEN, Deutschland', [10005]],
    ['location', 'Cologne', [10006]],
    ['location', 'Bengaluru, India', [10009]],
    ['industry', 'Aerospace___Defense', [1]],
    ['industry', 'Aerospace and Defense', [1]],
    ['skill', 'c', [1]],
  ] as const)('finds %s %j as %j', (vocabulary, name, ids) => {
    const resolution = names.resolve(vocabulary, name);
    expect('ids' in resolution ? [...resolution.ids].sort() : []).toEqual(ids);
  });

  it.each([
    ['country', 'Swizerland', 'Switzerland'],
    ['country', 'Untied States', 'United States'],
    ['country', 'Allemagn', 'Germany'],
    ['region', 'Europ', 'Europe'],
    ['region', 'Nordic region', 'Nordics'],
    ['location', 'Zuerihc', 'Zürich'],
    ['location', 'Greater Munich area', 'Munich'],
    ['industry', 'Airline', 'Airlines'],
  ] as const)('of the vocabulary %s, offers for %j first %j', (vocabulary, unknown, first) => {
    expect(names.resolve(vocabulary, unknown)).toMatchObject({ nearest: expect.arrayContaining([first]) });
    expect((names.resolve(vocabulary, unknown) as { nearest: string[] }).nearest[0]).toBe(first);
  });

  it('suggests names that share a word before names that only look alike', () => {
    const { nearest } = names.resolve('country', 'Virgin Islands') as { nearest: string[] };
    expect(nearest.length).toBeGreaterThan(1);
    expect(nearest.filter((name) => !name.includes('Virgin Islands'))).toEqual([]);
  });

  it('suggests no country for two letters, and no codes', () => {
    expect(names.resolve('country', 'EU')).toEqual({ nearest: [] });
    expect(names.resolve('country', 'Lao PDR')).toEqual({ nearest: expect.not.arrayContaining(['LAO']) });
  });

  it.each([
    ['country', 'swi', ['Switzerland']],
    ['country', 'united s', ['United States', 'United States Minor Outlying Islands']],
    ['country', 'deutsch', ['Germany']],
    ['country', 'dnk', ['Denmark']],
    ['country', 'united re', ['Tanzania']],
    ['skill', 'C++', ['C++']],
    ['location', 'portl', ['Portland, Maine, United States', 'Portland, Oregon, United States']],
    ['location', 'ZURI', ['Zürich, Switzerland']],
    ['location', 'no such place', []],
  ] as const)('of the vocabulary %s, completes %j to %j', (vocabulary, text, expected) => {
    expect(names.suggest(vocabulary, text, 10)).toEqual(expected);
  });

  it('completes what begins like the text before what has a later word that does, and knows every name it gives', () => {
    const found = names.suggest('country', 'ne', 50);
    // NE is the code of Niger.
    expect(found.slice(0, 4)).toEqual(['Niger', 'Nepal', 'Netherlands', 'New Caledonia']);
    expect(found.indexOf('Papua New Guinea')).toBeGreaterThan(found.indexOf('New Zealand'));
    for (const vocabulary of ['region', 'country', 'location', 'industry'] as const) {
      const all = names.suggest(vocabulary, '', 1000);
      expect(all.length).toBeGreaterThan(50);
      const unknown = all.filter((name) => !('ids' in names.resolve(vocabulary, name)));
      expect(unknown).toEqual([]);
    }
    expect(names.suggest('country', '', 3)).toHaveLength(3);
    expect(names.suggest('country', 'x'.repeat(40_000), 3)).toEqual([]);
  });

  it('compares no text that is longer than any name', () => {
    expect(names.resolve('location', 'e\u0316\u0301'.repeat(40_000))).toEqual({ nearest: [] });
  });

  it('finds no id outside the vocabulary, and no name without a letter or digit', () => {
    expect(names.resolve('region', 1756)).toEqual({ nearest: [] });
    expect(names.resolve('country', '99999999999999999999')).toEqual({ nearest: expect.any(Array) });
    expect(names.resolve('country', '—')).toEqual({ nearest: [] });
  });
});
