// Builders of records. Fields that a test does not name have defaults, and ids count up from 1 in each database.
import type pg from 'pg';

export type Row = Record<string, unknown>;

async function insert(sql: pg.Pool, table: string, rows: readonly Row[]): Promise<void> {
  // One statement for each set of columns, so that defaults of the table apply to what a row leaves out.
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    const columns = Object.keys(row).join(', ');
    groups.set(columns, [...(groups.get(columns) ?? []), row]);
  }
  for (const [columns, group] of groups) {
    await sql.query(
      `insert into ${table} (${columns}) select ${columns} from jsonb_populate_recordset(null::${table}, $1)`,
      [JSON.stringify(group)],
    );
  }
}

export function money(value: number, multiplier = 'UNITS', currency = 'USD'): Row {
  return {
    value,
    currency,
    multiplier,
    isVerified: true,
    localCurrency: currency,
    localCurrencyValue: value,
    localCurrencyValueMultiplier: multiplier,
  };
}

export async function insertCompanies(sql: pg.Pool, rows: readonly Row[]): Promise<void> {
  await insert(
    sql,
    'company',
    rows.map((row, index) => ({ id: index + 1, name: `Company ${index + 1}`, ...row })),
  );
}

export async function insertPersons(sql: pg.Pool, rows: readonly Row[]): Promise<void> {
  await insert(
    sql,
    'person',
    rows.map((row, index) => ({ id: index + 1, name: `Person ${index + 1}`, ...row })),
  );
}

export async function insertDeals(sql: pg.Pool, rows: readonly Row[]): Promise<void> {
  await insert(
    sql,
    'deal',
    rows.map((row, index) => ({ id: index + 1, title: `Deal ${index + 1}`, ...row })),
  );
}

export async function insertContacts(sql: pg.Pool, rows: readonly Row[]): Promise<void> {
  await insert(
    sql,
    'contact',
    rows.map((row, index) => ({ id: index + 1, name: `Contact ${index + 1}`, ...row })),
  );
}
