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

/** Where a drawn company has the values of a field. */
type ValuesOf = (row: Drawn) => readonly (string | null | undefined)[];

const members = new Map(industries.map(({ id, member }) => [String(id), member]));

const listed: Record<string, ValuesOf> = {
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
  const { rows } = await sql.query<Drawn>(
    `select industry_id, country_id, region_ids, headquarters_location_ids, location_ids, top_market_region_ids, office_region_ids,
            number_of_employees, revenue_amount
     from company where id in (select (select min(id) from company) + n * 97 from generate_series(0, 2000) as n)`,
  );
  const next = seeded(20_261_122);
  const below = (limit: number) => Math.floor(next() * limit);
  const drawn = () => rows[below(rows.length)]!;

  /** Mostly any of one to three values, now and then none of them. */
  const inclusion = (valuesOf: ValuesOf) => {
    const values = new Set<string>();
    for (let wanted = 1 + below(3); values.size < wanted;) {
      const found = valuesOf(drawn());
      const value = found[below(found.length)];
      if (value) values.add(value);
      else if (values.size > 0) break;
    }
    return { values: [...values], comparison: next() < 0.85 ? 'IS_ANY_OF' : 'IS_NOT_ANY_OF' };
  };
  const range = (valueOf: (row: Drawn) => string | null) => {
    const [low, high] = [valueOf(drawn()) ?? '100', valueOf(drawn()) ?? '10000'].sort((a, b) => Number(a) - Number(b));
    if (next() < 0.6) return { values: [low, high], comparison: 'BETWEEN' };
    return { values: [low], comparison: next() < 0.5 ? 'MORE_THAN' : 'LESS_OR_EQUALS_THAN' };
  };

  return Array.from({ length: count }, () => {
    const filter: CompanyFilter = {};
    const left = [...Object.keys(listed), ...Object.keys(ranged)];
    for (let wanted = 1 + below(3); wanted > 0; wanted--) {
      const field = left.splice(below(left.length), 1)[0]!;
      const value = { [field]: [listed[field] ? inclusion(listed[field]) : range(ranged[field]!)] };
      if (besideSearchFilters.includes(field)) Object.assign(filter, value);
      else filter.searchFilters = { ...filter.searchFilters, ...value };
    }
    return filter;
  });
}

/** Mulberry32: the same numbers in every run. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
