// The fixed look-up data of the platform: industries, countries and regions with ids that never change. Regions take
// ids 1-999, countries 1000-9999 (1000 + ISO 3166-1 numeric) and cities 10000 and up. So one list of location ids can
// hold any of them. The files in data/ are the source; ids there are never reused.

/** One of the 30 groups of industries. */
export interface Sector {
  readonly id: number;
  readonly name: string;
}

/** One of the 415 industries. */
export interface Industry {
  readonly id: number;
  /** Display name, such as `Aerospace & Defense`. */
  readonly name: string;
  /** Its member of the GraphQL enum `Industry`, such as `Aerospace___Defense`. */
  readonly member: string;
  readonly sectorId: number;
}

/** A country or territory of ISO 3166-1. */
export interface Country {
  readonly id: number;
  readonly alpha2: string;
  readonly alpha3: string;
  /** English short name. */
  readonly name: string;
  /** What people write instead: official and older names, parts of the country, names in other languages. */
  readonly otherNames: readonly string[];
}

/** The spellings of one city. Cities themselves are rows of the database; these are only names that mean the same. */
export interface CityNames {
  readonly countryId: number;
  readonly names: readonly string[];
}

/**
 * A region of several countries. Regions overlap and nest: DACH lies in Western Europe, which lies in Europe, in EMEA.
 */
export interface Region {
  readonly id: number;
  readonly name: string;
  /** What people write instead, such as `EU`. */
  readonly otherNames: readonly string[];
  readonly parentId: number | null;
  /** Every country of the region, those of its sub-regions included. */
  readonly countryIds: readonly number[];
}
