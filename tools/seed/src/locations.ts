// The closures that the data tables store: a place together with everything that contains it.
import { countries, regions } from '@tradewind/filters';

const regionIdsByCountry = new Map<number, number[]>(countries.map(({ id }) => [id, []]));
for (const region of regions) {
  for (const countryId of region.countryIds) regionIdsByCountry.get(countryId)!.push(region.id);
}
const parentIds = new Map(regions.map(({ id, parentId }) => [id, parentId]));

/** Every region of a country; regions list the countries of their sub-regions, so ancestors are included. */
export function regionsOfCountry(countryId: number): readonly number[] {
  return regionIdsByCountry.get(countryId) ?? [];
}

/** A region and the regions around it. */
export function regionClosure(regionId: number): number[] {
  const closure = [];
  for (let id: number | null | undefined = regionId; typeof id === 'number'; id = parentIds.get(id)) closure.push(id);
  return closure;
}

/** A country and its regions. */
export function countryClosure(countryId: number): number[] {
  return [countryId, ...regionsOfCountry(countryId)];
}

/** Sorted, without repeats. */
export function sortedIds(...lists: readonly (readonly number[])[]): number[] {
  return [...new Set(lists.flat())].sort((a, b) => a - b);
}
