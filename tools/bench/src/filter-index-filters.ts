// Random structured filters of companies. Their values are those of companies drawn at random, so that frequent values
// come up as often as they occur.
import { industries } from '@tradewind/filters';
import type pg from 'pg';

/** Variables of companiesConnection. */
export interface CompanyFilter {
  searchFilters?: Record<string, unknown>;
  topMarkets?: unknown[];
  officeLocation?: unknown[];
}

interface Drawn {
  industry_id: string | null;
  country_id: string | null;
  region_ids: string[];
  headquarters_location_ids: string[];
  location_ids: string[];
  top_market_region_ids: string[];
  office_region_ids: string[];
  number_of_employees: string | null;
  revenue_amount: string | null;
}

type Pick = () => Drawn;
type Random = { next: () => number; below: (count: number) => number };

const members = new Map(industries.map(({ id, member }) => [String(id), member]));

/** Fields that take values of a list, and where a drawn company has them. */
const listed: Record<string, (row: Drawn) => readonly (string | null | undefined)[]> = {
  industry: (row) => [members.get(row.industry_id ?? '')],
  country: (row) => [row.country_id],
  region: (row) => row.region_ids,
  headquarters: (row) => row.headquarters_location_ids,
  location: (row) => row.location_ids,
  topMarkets: (row) => row.top_market_region_ids,
  officeLocation: (row) => row.office_region_ids,
};
const ranged: Record<string, (row: Drawn) => string | null> = {
  numberOfEmployees: (row) => row.number_of_employees,
  revenue: (row) => row.revenue_amount,
};
/** Variables of their own; the others are in `searchFilters`. */
const besideSearchFilters = ['topMarkets', 'officeLocation'];

/** One to three different fields of each filter; the same ones in every run on the same data. */
export async function drawCompanyFilters(sql: pg.Pool, count: number): Promise<CompanyFilter[]> {
  const rows = await drawRows(sql);
  const random = seeded(20_261_122);
  const pick = () => rows[random.below(rows.length)]!;
  return Array.from({ length: count }, () => {
    const filter: CompanyFilter = {};
    const left = [...Object.keys(listed), ...Object.keys(ranged)];
    for (let wanted = 1 + random.below(3); wanted > 0; wanted--) {
      const field = left.splice(random.below(left.length), 1)[0]!;
      const value = listed[field]
        ? inclusion(random, distinct(pick, random, listed[field]))
        : range(random, ranged[field]!(pick()), ranged[field]!(pick()));
      if (besideSearchFilters.includes(field)) Object.assign(filter, { [field]: [value] });
      else filter.searchFilters = { ...filter.searchFilters, [field]: [value] };
    }
    return filter;
  });
}

/** Mostly any of one to three values, now and then none of them. */
function inclusion(random: Random, values: string[]): { values: string[]; comparison: string } {
  return { values, comparison: random.next() < 0.85 ? 'IS_ANY_OF' : 'IS_NOT_ANY_OF' };
}

function range(random: Random, a: string | null, b: string | null): { values: string[]; comparison: string } {
  const [low, high] = [a ?? '100', b ?? '10000'].sort((x, y) => (BigInt(x) < BigInt(y) ? -1 : 1)) as [string, string];
  if (random.next() < 0.6) return { values: [low, high], comparison: 'BETWEEN' };
  return { values: [low], comparison: random.next() < 0.5 ? 'MORE_THAN' : 'LESS_OR_EQUALS_THAN' };
}

function distinct(
  pick: Pick,
  random: Random,
  valuesOf: (row: Drawn) => readonly (string | null | undefined)[],
): string[] {
  const wanted = 1 + random.below(3);
  const found = new Set<string>();
  while (found.size < wanted) {
    const values = valuesOf(pick());
    const drawn = values[random.below(values.length)];
    if (drawn) found.add(drawn);
    else if (found.size > 0) break;
  }
  return [...found];
}

async function drawRows(sql: pg.Pool): Promise<Drawn[]> {
  const { rows } = await sql.query<Drawn>(
    `select industry_id, country_id, region_ids, headquarters_location_ids, location_ids, top_market_region_ids, office_region_ids,
            number_of_employees, revenue_amount
     from company where id in (select (select min(id) from company) + n * 97 from generate_series(0, 2000) as n)`,
  );
  return rows;
}

/** Mulberry32: the same numbers in every run. */
function seeded(seed: number): Random {
  let state = seed;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return { next, below: (count) => Math.floor(next() * count) };
}
