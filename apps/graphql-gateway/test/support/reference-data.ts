// The look-up tables as the seed fills them: reference data of libs/filters, and a few rows for what only the database
// knows.
import { countries, industries, regions, sectors } from '@tradewind/filters';
import pg from 'pg';

export const skills = ['Negotiation', 'Sponsorship', 'Analytics', 'Public Speaking', 'Leadership'];
export const cities = [
  { id: 10_001, name: 'Zurich', country: 'CH' },
  { id: 10_002, name: 'Geneva', country: 'CH' },
  { id: 10_003, name: 'Berlin', country: 'DE' },
  { id: 10_004, name: 'Chicago', country: 'US' },
  // Named by the examples.
  { id: 10_005, name: 'Dublin', country: 'IE' },
  { id: 10_006, name: 'Los Angeles, California', country: 'US' },
];

export async function loadReferenceData(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, options: '-c search_path=graphql_gateway' });
  await client.connect();
  const insert = (table: string, columns: string, rows: readonly Record<string, unknown>[]) =>
    client.query(
      `insert into ${table} (${columns}) select ${columns} from jsonb_populate_recordset(null::${table}, $1)`,
      [JSON.stringify(rows)],
    );
  await insert('sector', 'id, name', sectors as never);
  await insert(
    'industry',
    'id, name, sector_id',
    industries.map(({ id, name, sectorId }) => ({ id, name, sector_id: sectorId })),
  );
  await insert(
    'region',
    'id, name, parent_id',
    regions.map(({ id, name, parentId }) => ({ id, name, parent_id: parentId })),
  );
  await insert(
    'country',
    'id, name, alpha2_code, alpha3_code',
    countries.map(({ id, name, alpha2, alpha3 }) => ({ id, name, alpha2_code: alpha2, alpha3_code: alpha3 })),
  );
  await insert(
    'region_country',
    'region_id, country_id',
    regions.flatMap(({ id, countryIds }) => countryIds.map((country) => ({ region_id: id, country_id: country }))),
  );
  const countryId = (alpha2: string) => countries.find((country) => country.alpha2 === alpha2)!.id;
  await insert(
    'city',
    'id, name, country_id',
    cities.map(({ id, name, country }) => ({ id, name, country_id: countryId(country) })),
  );
  for (const [table, names] of Object.entries({
    skill: skills,
    sport: ['Football', 'Tennis'],
    category: ['Athlete', 'Executive'],
    language: ['English', 'German'],
  })) {
    await insert(
      table,
      'id, name',
      names.map((name, index) => ({ id: index + 1, name })),
    );
  }
  await client.end();
}
