// One record of a file to the columns of a row, or the reasons why not. Every broken rule of a record is named at once.
import type { Entity, Value } from '../data-tables.js';
import type { LookUps } from '../look-ups.js';
import { type ImportField, importFields, requiredColumns } from './import-fields.js';
import { convertCell, Refusal } from './convert-cell.js';
import { gatherMoney } from './money-columns.js';
import { placesOf, type PlaceFields } from './places.js';

/** Columns that the record has something to say about; the others keep their value in an update. */
export type ConvertedRow = Record<string, Value>;

export type Conversion = { row: ConvertedRow } | { reasons: string[] };

const fieldsByName = {} as Record<Entity, Map<string, ImportField>>;
for (const [entity, fields] of Object.entries(importFields)) {
  fieldsByName[entity as Entity] = new Map(fields.map((field) => [field.name, field]));
}

/** Names in the header (or keys of an object) that are no field of the entity. */
export function unknownFields(entity: Entity, names: readonly string[]): string[] {
  return names.filter((name) => {
    const [base, moneyField] = name.split('.', 2);
    const field = fieldsByName[entity].get(base!);
    return field === undefined || (moneyField !== undefined && field.value.kind !== 'money');
  });
}

/** Adds look-up rows that the record names and that are allowed to be new, within the caller's transaction. */
export async function convertRow(
  entity: Entity,
  record: Readonly<Record<string, unknown>>,
  lookUps: LookUps,
): Promise<Conversion> {
  const reasons: string[] = unknownFields(entity, Object.keys(record)).map((name) => `${name}: there is no such field`);
  const row: ConvertedRow = {};
  const places: PlaceFields = {};
  for (const [name, value] of Object.entries(gatherMoney(record))) {
    const field = fieldsByName[entity].get(name);
    if (!field) continue;
    try {
      const columns = await convertCell(field, value, lookUps, places);
      Object.assign(row, columns);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      reasons.push(`${name}: ${error.message}`);
    }
  }
  for (const [column, fallback] of Object.entries(requiredColumns[entity])) {
    if (row[column] === null && fallback === null) reasons.push(`${column}: is empty`);
  }
  if (typeof row['id'] !== 'number' && !reasons.some((reason) => reason.startsWith('id:')))
    reasons.push('id: is missing');
  reasons.push(...(crossChecks[entity]?.(row) ?? []));
  if (reasons.length > 0) return { reasons };
  fillNames(entity, row);
  Object.assign(row, await placesOf(entity, places, lookUps));
  return { row };
}

/** Rules between the columns of one row. */
const crossChecks: Partial<Record<Entity, (row: ConvertedRow) => string[]>> = {
  company: (row) =>
    row['parent_company_id'] !== undefined && row['parent_company_id'] === row['id']
      ? ['parentCompanyId: is the company itself']
      : [],
  deal: ({ start_date: start, end_date: end }) =>
    typeof start === 'string' && typeof end === 'string' && end < start
      ? [`endDate: ${end} is before the start date ${start}`]
      : [],
};

/** A full name follows from first and last name when both are given; the main address is one of all addresses. */
function fillNames(entity: Entity, row: ConvertedRow): void {
  if (entity !== 'person' && entity !== 'contact') return;
  const { name, first_name: first, last_name: last, email, emails } = row;
  if (name === undefined && typeof first === 'string' && typeof last === 'string') row['name'] = `${first} ${last}`;
  if (typeof email === 'string' && Array.isArray(emails))
    row['emails'] = [...new Set([email, ...(emails as string[])])];
}
