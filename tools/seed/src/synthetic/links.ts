// The companies and persons that deals and contacts are linked to, with what is copied from them. Links ask by place,
// so synthetic rows need no memory: they are made again from their place.
import type pg from 'pg';
import type { syntheticCompany } from './companies.js';
import type { syntheticPerson } from './persons.js';

const companyColumns = [
  'id',
  'name',
  'industry_id',
  'category_ids',
  'region_ids',
  'parent_company_id',
  'revenue_amount',
] as const;
const personColumns = ['id', 'name', 'first_name', 'last_name', 'birth_date', 'gross_salary_amount'] as const;

export type LinkedCompany = Pick<ReturnType<typeof syntheticCompany>, (typeof companyColumns)[number]>;
export type LinkedPerson = Pick<ReturnType<typeof syntheticPerson>, (typeof personColumns)[number]>;

export interface Directory<T> {
  readonly count: number;
  /** The entry at a place, from 0 up to, not including, `count`. */
  at(place: number): T;
}

export interface Links {
  companies: Directory<LinkedCompany>;
  persons: Directory<LinkedPerson>;
}

/** Rows kept in memory: enough variety for links, a few megabytes. */
const storedRowsMax = 10_000;

/** Rows that are in the database: the real companies and the sample persons. */
export const storedCompanies = (client: pg.Client) => stored<LinkedCompany>(client, 'company', companyColumns);
export const storedPersons = (client: pg.Client) => stored<LinkedPerson>(client, 'person', personColumns);

async function stored<T>(client: pg.Client, table: string, columns: readonly string[]): Promise<Directory<T>> {
  // As JSON, where ids are numbers and dates are text.
  const { rows } = await client.query<{ entry: T }>(
    `select to_json(e) as entry from (select ${columns.join(', ')} from ${table} order by id limit ${storedRowsMax}) e`,
  );
  return { count: rows.length, at: (place) => rows[place]!.entry };
}
