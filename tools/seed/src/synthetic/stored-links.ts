// Directories over rows that are in the database already: the real companies and the sample persons.
import type pg from 'pg';
import type { CompanyFacts, Directory, PersonFacts } from './links.js';

/** Rows kept in memory; enough variety for links, a few megabytes. */
const storedRowsMax = 10_000;

export function directoryOf<T>(entries: readonly T[]): Directory<T> {
  return { count: entries.length, at: (place) => entries[place]! };
}

export async function storedCompanies(client: pg.Client): Promise<Directory<CompanyFacts>> {
  const { rows } = await client.query<Record<string, string | string[] | null>>(
    `select id, name, industry_id, category_ids, region_ids, parent_company_id, revenue_amount from company order by id limit ${storedRowsMax}`,
  );
  return directoryOf(
    rows.map((row) => ({
      id: Number(row['id']),
      name: row['name'] as string,
      industryId: numberOrNull(row['industry_id']),
      categoryIds: (row['category_ids'] as string[]).map(Number),
      regionIds: (row['region_ids'] as string[]).map(Number),
      parentCompanyId: numberOrNull(row['parent_company_id']),
      revenueAmount: numberOrNull(row['revenue_amount']),
    })),
  );
}

export async function storedPersons(client: pg.Client): Promise<Directory<PersonFacts>> {
  const { rows } = await client.query<Record<string, string | null>>(
    `select id, name, first_name, last_name, birth_date::text, gross_salary_amount from person order by id limit ${storedRowsMax}`,
  );
  return directoryOf(
    rows.map((row) => ({
      id: Number(row['id']),
      name: row['name']!,
      firstName: row['first_name'] ?? null,
      lastName: row['last_name'] ?? null,
      birthDate: row['birth_date'] ?? null,
      grossSalaryAmount: numberOrNull(row['gross_salary_amount']),
    })),
  );
}

function numberOrNull(value: string | string[] | null | undefined): number | null {
  return value === null || value === undefined ? null : Number(value);
}
