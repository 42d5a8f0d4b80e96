// The look-up tables: the fixed reference data, the vocabularies of the synthetic data, and what imports add.
import { countries, industries, NameDictionary, regions, type Resolution, sectors } from '@tradewind/filters';
import type pg from 'pg';
import { regionsOfCountry } from './locations.js';
import * as vocabulary from './synthetic/vocabulary.js';

/** Answers kept in memory, about a megabyte. */
const resolvedMax = 10_000;

/** Ids of cities begin here (regions and countries lie below). */
export const cityIdMin = 10_000;

const countryIds = new Map(countries.map(({ alpha2, id }) => [alpha2, id]));

/** Cities of the vocabulary with their ids, the likeliest first. */
export const syntheticCities = vocabulary.cities.map(([name, alpha2], index) => ({
  id: cityIdMin + index,
  name,
  alpha2,
  countryId: countryIds.get(alpha2)!,
}));

/** Fills the look-up tables; rows that are there are brought up to date, rows of others stay. Unchanged rows cost nothing. */
export async function fillLookUps(client: pg.Client): Promise<void> {
  await upsert(
    client,
    'sector',
    ['id', 'name'],
    sectors.map(({ id, name }) => [id, name]),
  );
  await upsert(
    client,
    'industry',
    ['id', 'name', 'sector_id'],
    industries.map(({ id, name, sectorId }) => [id, name, sectorId]),
  );
  await upsert(
    client,
    'region',
    ['id', 'name', 'parent_id'],
    regions.map(({ id, name, parentId }) => [id, name, parentId]),
  );
  await upsert(
    client,
    'country',
    ['id', 'name', 'image_url', 'alpha2_code', 'alpha3_code'],
    countries.map(({ id, name, alpha2, alpha3 }) => [
      id,
      name,
      `https://flagcdn.com/${alpha2.toLowerCase()}.svg`,
      alpha2,
      alpha3,
    ]),
  );
  await upsert(
    client,
    'region_country',
    ['region_id', 'country_id'],
    countries.flatMap(({ id }) => regionsOfCountry(id).map((regionId) => [regionId, id])),
  );
  await upsert(
    client,
    'city',
    ['id', 'name', 'country_id'],
    syntheticCities.map(({ id, name, countryId }) => [id, name, countryId]),
  );
  const numbered = (names: readonly string[]) => names.map((name, index) => [index + 1, name]);
  await upsert(client, 'sport', ['id', 'name'], numbered(vocabulary.sports));
  await upsert(client, 'category', ['id', 'name'], numbered(vocabulary.categories));
  await upsert(client, 'language', ['id', 'name'], numbered(vocabulary.languages));
  await upsert(client, 'skill', ['id', 'name'], numbered(vocabulary.skills));
}

async function upsert(
  client: pg.Client,
  table: string,
  columns: string[],
  rows: (string | number | null)[][],
): Promise<void> {
  const key = table === 'region_country' ? columns : ['id'];
  const updates = columns.filter((column) => !key.includes(column));
  // A statement that changes nothing still raises the data version, so it is not sent when every row is there already.
  const values = `json_populate_recordset(null::${table}, $1::json)`;
  const records = JSON.stringify(
    rows.map((row) => Object.fromEntries(columns.map((column, index) => [column, row[index]]))),
  );
  const list = columns.join(', ');
  const difference = await client.query(
    `(select ${list} from ${values}) except (select ${list} from ${table}) limit 1`,
    [records],
  );
  if (difference.rowCount === 0) return;
  const onConflict =
    updates.length === 0
      ? 'do nothing'
      : `do update set ${updates.map((column) => `${column} = excluded.${column}`).join(', ')}`;
  await client.query(
    `insert into ${table} (${list}) select ${list} from ${values} on conflict (${key.join(', ')}) ${onConflict}`,
    [records],
  );
}

export type NamedTable = 'sport' | 'category' | 'language' | 'skill';

/** The look-up tables in memory: names to ids, and rows that an import adds. */
export class LookUps {
  /** Countries, regions and industries by name; cities are found by this class. */
  private readonly names = NameDictionary.of({});
  private readonly resolved = new Map<string, Resolution>();
  private readonly named: Record<NamedTable, NamedRows>;
  private readonly cities = new Map<string, City>();
  private readonly citiesByName = new Map<string, City[]>();
  private cityIdMax = cityIdMin - 1;

  private constructor(
    private readonly client: pg.Client,
    named: Record<NamedTable, readonly { id: number; name: string }[]>,
    cities: readonly City[],
  ) {
    this.named = {
      sport: new NamedRows(named.sport),
      category: new NamedRows(named.category),
      language: new NamedRows(named.language),
      skill: new NamedRows(named.skill),
    };
    for (const city of cities) this.remember(city);
  }

  static async read(client: pg.Client): Promise<LookUps> {
    const read = async (table: NamedTable) => {
      const { rows } = await client.query<{ id: string; name: string }>(`select id, name from ${table}`);
      return rows.map(({ id, name }) => ({ id: Number(id), name }));
    };
    const named = {
      sport: await read('sport'),
      category: await read('category'),
      language: await read('language'),
      skill: await read('skill'),
    };
    const { rows } = await client.query<{ id: string; name: string; country_id: string }>(
      'select id, name, country_id from city order by id',
    );
    const cities = rows.map(({ id, name, country_id }) => ({ id: Number(id), name, countryId: Number(country_id) }));
    return new LookUps(client, named, cities);
  }

  /** Names of the fixed reference data. The same few names come again and again in a file, so answers are kept. */
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

/** The rows of one look-up table by name and by id. */
class NamedRows {
  idMax = 0;
  private readonly ids = new Set<number>();
  private readonly idsByName = new Map<string, number>();

  constructor(rows: readonly { id: number; name: string }[]) {
    for (const row of rows) this.add(row);
  }

  add({ id, name }: { id: number; name: string }): void {
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
