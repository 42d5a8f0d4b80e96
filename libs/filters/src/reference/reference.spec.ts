import { describe, expect, it } from '@jest/globals';
import { countries } from './countries.generated.js';
import { industries, sectors } from './industries.generated.js';
import { regions } from './regions.generated.js';

describe('the reference data', () => {
  it('has 415 industries whose enum members are distinct GraphQL names', () => {
    expect(industries).toHaveLength(415);
    expect(new Set(industries.map(({ member }) => member)).size).toBe(415);
    expect(industries.filter(({ member }) => !/^[_A-Za-z][_0-9A-Za-z]*$/.test(member))).toEqual([]);
  });

  it.each([
    ['Accounting', 'Accounting'],
    ['Aerospace & Defense', 'Aerospace___Defense'],
    ['AI & Machine Learning Services', 'AI___Machine_Learning_Services'],
    ['Plant-Based Foods', 'Plant_Based_Foods'],
  ])('names the member of %j %s', (name, member) => {
    expect(industries.find((industry) => industry.name === name)?.member).toBe(member);
  });

  it('puts every industry into one of the 30 sectors', () => {
    expect(sectors).toHaveLength(30);
    const ids = new Set(sectors.map(({ id }) => id));
    expect(industries.every(({ sectorId }) => ids.has(sectorId))).toBe(true);
  });

  it('has the 249 countries of ISO 3166-1 with codes and ids in their range', () => {
    expect(countries).toHaveLength(249);
    expect(
      countries.every(
        ({ id, alpha2, alpha3 }) => id > 1000 && id < 10000 && /^[A-Z]{2}$/.test(alpha2) && /^[A-Z]{3}$/.test(alpha3),
      ),
    ).toBe(true);
    expect(countries.find(({ alpha2 }) => alpha2 === 'CH')).toMatchObject({
      id: 1756,
      alpha3: 'CHE',
      name: 'Switzerland',
    });
  });

  it('puts every country into a region, and every sub-region inside its parent', () => {
    const covered = new Set(regions.flatMap(({ countryIds }) => countryIds));
    expect(countries.filter(({ id }) => !covered.has(id))).toEqual([]);
    for (const { parentId, countryIds, name } of regions) {
      if (parentId === null) continue;
      const parent = regions.find(({ id }) => id === parentId)!;
      expect([name, countryIds.filter((id) => !parent.countryIds.includes(id))]).toEqual([name, []]);
    }
  });
});
