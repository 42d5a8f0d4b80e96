// Where a company or person is: from the fields country, headquarters and locations to the closures of the tables.
// The three belong together: a record that changes one of them gives the others too.
import type { Entity, Value } from '../data-tables.js';
import type { LookUps } from '../look-ups.js';
import { countryClosure, regionClosure, regionsOfCountry, sortedIds } from '../locations.js';

/** What a record says about places; a missing key says nothing, null or empty clears. */
export interface PlaceFields {
  countryId?: number | null;
  headquarters?: string | null;
  places?: string[];
}

/** Columns of the places that the record names; adds cities that are new, within the caller's transaction. */
export async function placesOf(entity: Entity, fields: PlaceFields, lookUps: LookUps): Promise<Record<string, Value>> {
  const { countryId, headquarters, places } = fields;
  const columns: Record<string, Value> = {};
  if (countryId === undefined && headquarters === undefined && places === undefined) return columns;
  const headOffice = await cityOf(headquarters ?? undefined, countryId ?? undefined, lookUps);
  const country = countryId ?? headOffice?.countryId ?? null;
  if (countryId !== undefined || headOffice) {
    columns['country_id'] = country;
    columns['region_ids'] = country === null ? [] : sortedIds(regionsOfCountry(country));
  }
  const headOfficeIds = [...(headOffice ? [headOffice.id] : []), ...(country === null ? [] : countryClosure(country))];
  if (entity === 'company') {
    if (headquarters !== undefined) columns['headquarters'] = headquarters;
    columns['headquarters_location_ids'] = sortedIds(headOfficeIds);
  }
  const closures = [headOfficeIds];
  for (const place of places ?? []) closures.push(await closureOf(place, country ?? undefined, lookUps));
  columns['location_ids'] = sortedIds(...closures);
  return columns;
}

/**
 * A region, a country, or a city as `Dublin`, `Dublin, Ireland`; a city that nobody knows lies in the given country.
 */
async function closureOf(place: string, countryId: number | undefined, lookUps: LookUps): Promise<number[]> {
  const resolution = lookUps.resolve('location', place);
  if ('ids' in resolution) {
    return resolution.ids.flatMap((id) => (id >= 1000 ? countryClosure(id) : regionClosure(id)));
  }
  const city = await cityOf(place, countryId, lookUps);
  return city ? [city.id, ...countryClosure(city.countryId)] : [];
}

/** The city of a text such as `Dublin, Ireland` or, with a country, `Saint Paul, Minnesota`; made when it is new. */
async function cityOf(
  text: string | undefined,
  countryId: number | undefined,
  lookUps: LookUps,
): Promise<{ id: number; countryId: number } | undefined> {
  if (text === undefined) return undefined;
  const comma = text.lastIndexOf(',');
  const last = comma === -1 ? undefined : lookUps.resolve('country', text.slice(comma + 1));
  const named =
    last && 'ids' in last && !(countryId !== undefined && last.ids[0] !== countryId) ? last.ids[0]! : undefined;
  const name = named === undefined ? text : text.slice(0, comma).trim();
  const country = named ?? countryId;
  if (country === undefined) {
    // Without a country only a city that is known, and that no other shares its name with, is certain.
    const known = lookUps.findCities(name);
    return known.length === 1 ? known[0] : undefined;
  }
  return { id: lookUps.findCity(name, country) ?? (await lookUps.addCity(name, country)), countryId: country };
}
