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

type Field = (pick: () => Drawn, random: Random) => Record<string, unknown[]>;
type Random = { next: () => number; below: (count: number) => number };

const members = new Map(industries.map(({ id, member }) => [String(id), member]));

/** One to three different fields of each filter; the same ones in every run on the same data. */
export async function drawCompanyFilters(sql: pg.Pool, count: number): Promise<CompanyFilter[]> {
  const rows = await drawRows(sql);
  const random = seeded(20_261_122);
  const pick = () => rows[random.below(rows.length)]!;
  return Array.from({ length: count }, () => {
    const filter: CompanyFilter = {};
    const left = [...fields];
    for (let wanted = 1 + random.below(3); wanted > 0; wanted--) {
      const [field] = left.splice(random.below(left.length), 1);
      const { topMarkets, officeLocation, ...searchFilters } = field!(pick, random);
      Object.assign(filter, topMarkets ? { topMarkets } : {}, officeLocation ? { officeLocation } : {});
      if (Object.keys(searchFilters).length > 0) filter.searchFilters = { ...filter.searchFilters, ...searchFilters };
    }
    return filter;
  });
}

const fields: Field[] = [
  (pick, random) => ({
    industry: [
      inclusion(
        random,
        distinct(pick, random, (row) => members.get(row.industry_id ?? '')),
      ),
    ],
  }),
  (pick, random) => ({
    country: [
      inclusion(
        random,
        distinct(pick, random, (row) => row.country_id),
      ),
    ],
  }),
  (pick, random) => ({
    region: [
      inclusion(
        random,
        distinct(pick, random, (row) => one(row.region_ids, random)),
      ),
    ],
  }),
  (pick, random) => ({
    headquarters: [
      inclusion(
        random,
        distinct(pick, random, (row) => one(row.headquarters_location_ids, random)),
      ),
    ],
  }),
  (pick, random) => ({
    location: [
      inclusion(
        random,
        distinct(pick, random, (row) => one(row.location_ids, random)),
      ),
    ],
  }),
  (pick, random) => ({
    topMarkets: [
      inclusion(
        random,
        distinct(pick, random, (row) => one(row.top_market_region_ids, random)),
      ),
    ],
  }),
  (pick, random) => ({
    officeLocation: [
      inclusion(
        random,
        distinct(pick, random, (row) => one(row.office_region_ids, random)),
      ),
    ],
  }),
  (pick, random) => ({ numberOfEmployees: [range(random, pick().number_of_employees, pick().number_of_employees)] }),
  (pick, random) => ({ revenue: [range(random, pick().revenue_amount, pick().revenue_amount)] }),
];

/** Mostly any of one to three values, now and then none of them. */
function inclusion(random: Random, values: string[]): { values: string[]; comparison: string } {
  return { values, comparison: random.next() < 0.85 ? 'IS_ANY_OF' : 'IS_NOT_ANY_OF' };
}

function range(random: Random, a: string | null, b: string | null): { values: string[]; comparison: string } {
  const [low, high] = [a ?? '100', b ?? '10000'].sort((x, y) => (BigInt(x) < BigInt(y) ? -1 : 1)) as [string, string];
  if (random.next() < 0.6) return { values: [low, high], comparison: 'BETWEEN' };
  return { values: [low], comparison: random.next() < 0.5 ? 'MORE_THAN' : 'LESS_OR_EQUALS_THAN' };
}

function distinct(pick: () => Drawn, random: Random, value: (row: Drawn) => string | null | undefined): string[] {
  const wanted = 1 + random.below(3);
  const found = new Set<string>();
  while (found.size < wanted) {
    const drawn = value(pick());
    if (drawn) found.add(drawn);
    else if (found.size > 0) break;
  }
  return [...found];
}

function one(list: readonly string[], random: Random): string | undefined {
  return list[random.below(list.length)];
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
