// Names to ids for everything that a filter may name: regions, countries, cities, skills, languages and industries.
// Matching ignores case, accents and punctuation; one name may mean several ids (there is a Springfield in many
// states).
import { type Candidate, keyOf, nearestCandidates } from './nearest.js';
import { cityNames } from './reference/city-names.generated.js';
import { countries } from './reference/countries.generated.js';
import { industries } from './reference/industries.generated.js';
import { regions } from './reference/regions.generated.js';
import { integerOf } from './scalars.js';

/** The vocabularies that filter fields resolve names in. A location is a region, a country or a city. */
export type Vocabulary = 'region' | 'country' | 'location' | 'skill' | 'language' | 'industry';

/** One named thing; `names` holds every spelling it is found by, the display name first. */
export interface NamedRow {
  /** Positive id; a digit string as PostgreSQL drivers return `bigint` is fine. */
  id: number | string;
  names: readonly string[];
}

export interface NamedCity extends NamedRow {
  countryId: number | string;
  /** The name that is suggested for it, which no city of another country has; its first name unless given. */
  fullName?: string;
}

export interface NameRows {
  regions: readonly NamedRow[];
  countries: readonly NamedRow[];
  cities: readonly NamedCity[];
  skills: readonly NamedRow[];
  languages: readonly NamedRow[];
  industries: readonly NamedRow[];
}

/** Answers of a look-up: the ids, or the nearest names when there is no such name. */
export type Resolution = { ids: readonly number[] } | { nearest: readonly string[] };

/** No name is longer; a longer text is refused before it is normalised. */
const nameMaxChars = 300;

export class NameDictionary {
  private readonly vocabularies: Record<Exclude<Vocabulary, 'location'>, Names>;
  private readonly places: Names;
  private readonly cityCountries: ReadonlyMap<number, number>;

  constructor(rows: NameRows) {
    this.vocabularies = {
      region: new Names([rows.regions]),
      country: new Names([rows.countries]),
      skill: new Names([rows.skills]),
      language: new Names([rows.languages]),
      industry: new Names([rows.industries]),
    };
    this.places = new Names([rows.regions, rows.countries, rows.cities]);
    this.cityCountries = new Map(rows.cities.map(({ id, countryId }) => [Number(id), Number(countryId)]));
  }

  /**
   * A dictionary of the reference data plus the rows that only the database knows.
   * A city is found as `Dublin`, and as `Dublin, Ireland` with any name of its country.
   * A city named `Portland, Oregon` is found as `Portland` too, together with the other Portlands, and as `Oregon`,
   * together with the other cities there. `München` finds Munich, by whichever name the database knows it.
   */
  static of(rows: {
    cities?: readonly { id: number | string; name: string; countryId: number | string }[];
    skills?: readonly { id: number | string; name: string }[];
    languages?: readonly { id: number | string; name: string }[];
  }): NameDictionary {
    const countryNames = new Map(countries.map(({ id, name }) => [Number(id), name]));
    return new NameDictionary({
      regions: regions.map(({ id, name, otherNames }) => ({ id, names: [name, ...otherNames] })),
      countries: countries.map(({ id, name, otherNames, alpha2, alpha3 }) => ({
        id,
        names: [name, ...otherNames, alpha2, alpha3],
      })),
      cities: (rows.cities ?? []).map(({ id, name, countryId }) => {
        const comma = name.indexOf(',');
        const parts = comma === -1 ? [] : [name.slice(0, comma), name.slice(comma + 1).trim()];
        const others = [name, ...parts.slice(0, 1)].flatMap((part) => otherCityNames(part, Number(countryId)));
        const country = countryNames.get(Number(countryId));
        const fullName = country === undefined ? name : `${name}, ${country}`;
        return { id, countryId, fullName, names: [name, ...parts, ...others] };
      }),
      skills: (rows.skills ?? []).map(({ id, name }) => ({ id, names: [name] })),
      languages: (rows.languages ?? []).map(({ id, name }) => ({ id, names: [name] })),
      industries: industries.map(({ id, name, member }) => ({ id, names: [name, member] })),
    });
  }

  /** The ids that a name or an id (number or digit string) means. */
  resolve(vocabulary: Vocabulary, nameOrId: string | number | bigint): Resolution {
    if (typeof nameOrId === 'string' && nameOrId.length > nameMaxChars) return { nearest: [] };
    const id = integerOf(nameOrId);
    const names = vocabulary === 'location' ? this.places : this.vocabularies[vocabulary];
    if (id !== undefined) return typeof id === 'number' && names.has(id) ? { ids: [id] } : { nearest: [] };
    const key = keyOf(String(nameOrId));
    const ids = names.find(key) ?? (vocabulary === 'location' ? this.findCityIn(key) : undefined);
    return ids ? { ids } : { nearest: nearestCandidates(key, names) };
  }

  /**
   * Up to `limit` names of a vocabulary that somebody may be typing: those that the text is a spelling of, then those
   * that begin like it, by their name before by another spelling, then those with another word that does. Each kind is
   * in alphabetical order. `resolve` knows every name.
   */
  suggest(vocabulary: Vocabulary, text: string, limit: number): string[] {
    if (text.length > nameMaxChars) return [];
    const key = keyOf(text);
    // No name has only signs.
    if (key === '' && text.trim() !== '') return [];
    const names = vocabulary === 'location' ? this.places : this.vocabularies[vocabulary];
    return names.suggest(key, limit);
  }

  /** A city and its country: `dublin ireland`. */
  private findCityIn(key: string): number[] | undefined {
    for (let space = key.indexOf(' '); space !== -1; space = key.indexOf(' ', space + 1)) {
      const countryIds = this.vocabularies.country.find(key.slice(space + 1));
      const ids = countryIds && this.places.find(key.slice(0, space));
      const there = ids?.filter((id) => countryIds!.includes(this.cityCountries.get(id) ?? 0));
      if (there && there.length > 0) return there;
    }
    return undefined;
  }
}

const cityNamesByKey = new Map(
  cityNames.flatMap((city) => city.names.map((name) => [`${city.countryId} ${keyOf(name)}`, city.names])),
);

function otherCityNames(name: string, countryId: number): readonly string[] {
  return cityNamesByKey.get(`${countryId} ${keyOf(name)}`) ?? [];
}

/** Names that begin alike, beyond which the alphabet decides no longer: sorting them would take time. */
const sortedNamesMax = 1000;

const alphabet = new Intl.Collator('en');

interface NameCandidate extends Candidate {
  fullName: string;
}

/** One vocabulary: its ids, its names by key, and what to suggest. */
class Names implements Iterable<Candidate> {
  private readonly ids = new Set<number>();
  private readonly idsByKey = new Map<string, number[]>();
  private readonly candidates: NameCandidate[] = [];

  constructor(lists: readonly (readonly (NamedRow & { fullName?: string })[])[]) {
    for (const { id: rawId, names, fullName = names[0]! } of lists.flat()) {
      const id = Number(rawId);
      this.ids.add(id);
      const keys = new Set(names.map(keyOf).filter((key) => key !== ''));
      for (const spelling of new Set([...keys].flatMap((key) => [key, compact(key)]))) {
        const ids = this.idsByKey.get(spelling);
        if (!ids) this.idsByKey.set(spelling, [id]);
        else if (!ids.includes(id)) ids.push(id);
      }
      this.candidates.push({ name: names[0]!, fullName, spellings: keys });
    }
  }

  has(id: number): boolean {
    return this.ids.has(id);
  }

  find(key: string): readonly number[] | undefined {
    return key === '' ? undefined : (this.idsByKey.get(key) ?? this.idsByKey.get(compact(key)));
  }

  suggest(key: string, limit: number): string[] {
    // Another spelling is a weaker reason: few who type "unit" mean the United Republic of Tanzania.
    const kinds = {
      whole: new Set<string>(),
      name: new Set<string>(),
      spelling: new Set<string>(),
      within: new Set<string>(),
    };
    for (const { fullName, spellings } of this.candidates) {
      let isName = true;
      for (const spelling of spellings) {
        if (spelling === key) kinds.whole.add(fullName);
        else if (spelling.startsWith(key)) kinds[isName ? 'name' : 'spelling'].add(fullName);
        else if (spelling.includes(` ${key}`)) kinds.within.add(fullName);
        isName = false;
      }
      if (kinds.name.size >= sortedNamesMax) break;
    }
    const sorted = (names: Set<string>) => [...names].sort((a, b) => alphabet.compare(a, b));
    return [...new Set(Object.values(kinds).flatMap(sorted))].slice(0, limit);
  }

  [Symbol.iterator](): Iterator<Candidate> {
    return this.candidates[Symbol.iterator]();
  }
}

/** Without spaces, so that `U.S.A.` is `USA`. */
function compact(key: string): string {
  return key.replaceAll(' ', '');
}
