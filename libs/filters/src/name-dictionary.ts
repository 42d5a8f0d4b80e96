// Names to ids for everything that a filter may name: regions, countries, cities, skills and industries.
// Matching ignores case, accents and punctuation; one name may mean several ids (there is a Springfield in many states).
import { distance } from 'fastest-levenshtein';
import { integerOf } from './scalars.js';
import { normaliseText } from './text.js';
import { countries } from './reference/countries.generated.js';
import { industries } from './reference/industries.generated.js';
import { regions } from './reference/regions.generated.js';

/** The vocabularies that filter fields resolve names in. A location is a region, a country or a city. */
export type Vocabulary = 'region' | 'country' | 'location' | 'skill' | 'industry';

/** One named thing; `names` holds every spelling it is found by, the display name first. */
export interface NamedRow {
  /** Positive id; a digit string as PostgreSQL drivers return `bigint` is fine. */
  id: number | string;
  names: readonly string[];
}

export interface NameRows {
  regions: readonly NamedRow[];
  countries: readonly NamedRow[];
  cities: readonly NamedRow[];
  skills: readonly NamedRow[];
  industries: readonly NamedRow[];
}

/** Answers of a look-up: the ids, or the nearest names when there is no such name. */
export type Resolution = { ids: readonly number[] } | { nearest: readonly string[] };

const suggestionCount = 3;

export class NameDictionary {
  private readonly vocabularies: Record<Vocabulary, Names>;

  constructor(rows: NameRows) {
    this.vocabularies = {
      region: new Names([rows.regions]),
      country: new Names([rows.countries]),
      location: new Names([rows.regions, rows.countries, rows.cities]),
      skill: new Names([rows.skills]),
      industry: new Names([rows.industries]),
    };
  }

  /**
   * A dictionary of the reference data plus the rows that only the database knows.
   * Cities are found as `Dublin`, and as `Dublin, Ireland` with any name of their country.
   * A city named `Portland, Oregon` is found as `Portland` too, together with the other Portlands, and as `Oregon`,
   * together with the other cities there.
   */
  static of(rows: {
    cities?: readonly { id: number | string; name: string; countryId: number | string }[];
    skills?: readonly { id: number | string; name: string }[];
  }): NameDictionary {
    const countryNames = new Map(countries.map((country) => [country.id, [country.name, ...country.otherNames]]));
    return new NameDictionary({
      regions: regions.map(({ id, name }) => ({ id, names: [name] })),
      countries: countries.map(({ id, name, otherNames, alpha2, alpha3 }) => ({
        id,
        names: [name, ...otherNames, alpha2, alpha3],
      })),
      cities: (rows.cities ?? []).map(({ id, name, countryId }) => {
        const comma = name.indexOf(',');
        const parts = comma === -1 ? [] : [name.slice(0, comma), name.slice(comma + 1).trim()];
        const long = (countryNames.get(Number(countryId)) ?? []).map((country) => `${name}, ${country}`);
        return { id, names: [name, ...parts, ...long] };
      }),
      skills: (rows.skills ?? []).map(({ id, name }) => ({ id, names: [name] })),
      industries: industries.map(({ id, name, member }) => ({ id, names: [name, member] })),
    });
  }

  /** The ids that a name or an id (number or digit string) stands for. */
  resolve(vocabulary: Vocabulary, nameOrId: string | number | bigint): Resolution {
    return this.vocabularies[vocabulary].resolve(nameOrId);
  }
}

/** One vocabulary: its ids, its names by key, and the display names to suggest from. */
class Names {
  private readonly ids = new Set<number>();
  private readonly idsByKey = new Map<string, number[]>();
  private readonly displayNames = new Map<string, string>();

  constructor(lists: readonly (readonly NamedRow[])[]) {
    for (const { id: rawId, names } of lists.flat()) {
      const id = Number(rawId);
      this.ids.add(id);
      for (const name of names) {
        const key = keyOf(name);
        if (key === '') continue;
        if (!this.displayNames.has(key)) this.displayNames.set(key, name);
        for (const spelling of new Set([key, compact(key)])) {
          const ids = this.idsByKey.get(spelling);
          if (!ids) this.idsByKey.set(spelling, [id]);
          else if (!ids.includes(id)) ids.push(id);
        }
      }
    }
  }

  resolve(nameOrId: string | number | bigint): Resolution {
    const id = integerOf(nameOrId);
    if (id !== undefined) return typeof id === 'number' && this.ids.has(id) ? { ids: [id] } : { nearest: [] };
    const key = keyOf(String(nameOrId));
    const ids = this.idsByKey.get(key) ?? this.idsByKey.get(compact(key));
    return ids && key !== '' ? { ids } : { nearest: this.nearest(key) };
  }

  private nearest(key: string): string[] {
    if (key === '') return [];
    const byDistance = [...this.displayNames]
      .map(([candidate, name]) => ({ name, far: candidate.startsWith(key) ? 1 : distance(key, candidate) }))
      .sort((a, b) => a.far - b.far || (a.name < b.name ? -1 : 1));
    // The nearest name is always told; others only when they are about as near.
    const limit = (byDistance[0]?.far ?? 0) + 2;
    return byDistance
      .filter(({ far }) => far <= limit)
      .slice(0, suggestionCount)
      .map(({ name }) => name);
  }
}

function keyOf(name: string): string {
  return normaliseText(name.replaceAll('&', ' and '));
}

/** Without spaces, so that `U.S.A.` is `USA`. */
function compact(key: string): string {
  return key.replaceAll(' ', '');
}
