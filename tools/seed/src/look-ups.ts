// The look-up tables: the fixed reference data, the vocabularies of the synthetic data, and what imports add.
import { countries, industries, NameDictionary, regions, type Resolution, sectors } from '@tradewind/filters';
import type pg from 'pg';
import { regionsOfCountry } from './locations.js';
import { vocabulary } from './synthetic/vocabulary.js';

/** Answers kept in memory, about a megabyte. */
const resolvedMax = 10_000;

/** Ids of cities begin here (regions and countries lie below). */
const cityIdMin = 10_000;

const countryIds = new Map(countries.map(({ alpha2, id }) => [alpha2, id]));

/** Cities of the vocabulary with their ids, the likeliest first. */
export const syntheticCities = vocabulary.cities.map(([name, alpha2], index) => ({
  id: cityIdMin + index,
  name,
  alpha2,
  countryId: countryIds.get(alpha2)!,
}));

const namedTables = ['sport', 'category', 'language', 'skill'] as const;
export type NamedTable = (typeof namedTables)[number];

const numbered = (names: readonly string[]) => names.map((name, index) => ({ id: index + 1, name }));

/** Every look-up table with its rows, in the order of their references. */
const lookUpRows: Record<string, readonly Readonly<Record<string, string | number | null>>[]> = {
  sector: sectors.map(({ id, name }) => ({ id, name })),
  industry: industries.map(({ id, name, sectorId }) => ({ id, name, sector_id: sectorId })),
  region: regions.map(({ id, name, parentId }) => ({ id, name, parent_id: parentId })),
  country: countries.map(({ id, name, alpha2, alpha3 }) => ({
    id,
    name,
    image_url: `https://flagcdn.com/${alpha2.toLowerCase()}.svg`,
    alpha2_code: alpha2,
    alpha3_code: alpha3,
  })),
  region_country: countries.flatMap(({ id }) =>
    regionsOfCountry(id).map((regionId) => ({ region_id: regionId, country_id: id })),
  ),
  city: syntheticCities.map(({ id, name, countryId }) => ({ id, name, country_id: countryId })),
  sport: numbered(vocabulary.sports),
  category: numbered(vocabulary.categories),
  language: numbered(vocabulary.languages),
  skill: numbered(vocabulary.skills),
};

/** Fills the look-up tables and updates the rows that are there already; other rows stay. */
export async function fillLookUps(client: pg.Client): Promise<void> {
  for (const [table, rows] of Object.entries(lookUpRows)) {
    const columns = Object.keys(rows[0]!);
    const key = table === 'region_country' ? columns : ['id'];
    const list = columns.join(', ');
    const wanted = `select ${list} from json_populate_recordset(null::${table}, $1::json)`;
    // A statement that changes nothing still raises the data version, so it is not sent when every row is there.
    const difference = await client.query(`(${wanted}) except (select ${list} from ${table}) limit 1`, [
      JSON.stringify(rows),
    ]);
    if (difference.rowCount === 0) continue;
    const updates = columns.filter((column) => !key.includes(column)).map((column) => `${column} = excluded.${column}`);
    const onConflict = updates.length === 0 ? 'do nothing' : `do update set ${updates.join(', ')}`;
    await client.query(`insert into ${table} (${list}) ${wanted} on conflict (${key.join(', ')}) ${onConflict}`, [
      JSON.stringify(rows),
    ]);
  }
}

/** The look-up tables in memory: names to ids, and rows that an import adds. */
export class LookUps {
  /** Countries, regions and industries by name; cities are found by this class. */
  private readonly names = NameDictionary.of({});
  private readonly resolved = new Map<string, Resolution>();
  private readonly cities = new Map<string, City>();
  private readonly citiesByName = new Map<string, City[]>();
  private cityIdMax = cityIdMin - 1;

  private constructor(
    private readonly client: pg.Client,
    private readonly named: Readonly<Record<NamedTable, NamedRows>>,
    cities: readonly City[],
  ) {
    for (const city of cities) this.remember(city);
  }

  static async read(client: pg.Client): Promise<LookUps> {
    const named = {} as Record<NamedTable, NamedRows>;
    for (const table of namedTables) {
      const { rows } = await client.query<NamedRow>(`select id::int, name from ${table}`);
      named[table] = new NamedRows(rows);
    }
    const { rows } = await client.query<City>(
      'select id::int, name, country_id::int as "countryId" from city order by id',
    );
    return new LookUps(client, named, rows);
  }

  /** Names of the fixed reference data. A file repeats the same few names, so answers are kept. */
  resolve(vocabulary: 'region' | 'country' | 'industry' | 'location', nameOrId: string | number): Resolution {
    const key = `${vocabulary} ${nameOrId}`;
    const known = this.resolved.get(key);
    if (known) return known;
    const resolution = this.names.resolve(vocabulary, nameOrId);
    if (this.resolved.size < resolvedMax) this.resolved.set(key, resolution);
    return resolution;
  }

  /** The id of a named row, by its name or by its id; undefined when there is none. */
  findNamed(table: NamedTable, nameOrId: string): number | undefined {
    return this.named[table].find(nameOrId);
  }

  findCity(name: string, countryId: number): number | undefined {
    return this.cities.get(cityKey(name, countryId))?.id;
  }

  /** Cities of that name in any country; `Portland` finds `Portland, Oregon` too. */
  findCities(name: string): readonly City[] {
    return this.citiesByName.get(nameKey(name)) ?? [];
  }

  /** Adds a row of the table, within the caller's transaction. */
  async addNamed(table: NamedTable, name: string): Promise<number> {
    const id = this.named[table].idMax + 1;
    await this.client.query(`insert into ${table} (id, name) values ($1, $2)`, [id, name]);
    this.named[table].add({ id, name });
    return id;
  }

  /** Adds a city, within the caller's transaction. */
  async addCity(name: string, countryId: number): Promise<number> {
    const city = { id: this.cityIdMax + 1, name, countryId };
    await this.client.query('insert into city (id, name, country_id) values ($1, $2, $3)', [city.id, name, countryId]);
    this.remember(city);
    return city.id;
  }

  private remember(city: City): void {
    this.cities.set(cityKey(city.name, city.countryId), city);
    this.cityIdMax = Math.max(this.cityIdMax, city.id);
    for (const name of new Set([city.name, city.name.split(',')[0]!].map(nameKey))) {
      this.citiesByName.set(name, [...(this.citiesByName.get(name) ?? []), city]);
    }
  }
}

export interface City {
  id: number;
  name: string;
  countryId: number;
}

interface NamedRow {
  id: number;
  name: string;
}

/** The rows of one look-up table by name and by id. */
class NamedRows {
  idMax = 0;
  private readonly ids = new Set<number>();
  private readonly idsByName = new Map<string, number>();

  constructor(rows: readonly NamedRow[]) {
    for (const row of rows) this.add(row);
  }

  add({ id, name }: NamedRow): void {
    this.idMax = Math.max(this.idMax, id);
    this.ids.add(id);
    this.idsByName.set(nameKey(name), id);
  }

  find(nameOrId: string): number | undefined {
    if (!/^\d+$/.test(nameOrId)) return this.idsByName.get(nameKey(nameOrId));
    return this.ids.has(Number(nameOrId)) ? Number(nameOrId) : undefined;
  }
}

function nameKey(name: string): string {
  return name.normalize('NFC').trim().toLowerCase();
}

function cityKey(name: string, countryId: number): string {
  return `${countryId} ${nameKey(name)}`;
}
