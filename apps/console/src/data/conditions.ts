// The filter that a person builds: a list of conditions. Pure: to the text of an address and back, to the variables of
// a request, and what is wrong with one. The service judges what is right here too; it knows the names.
import type { Comparison, EntitySchema, FilterField, SortField } from './schema.types';

export interface Condition {
  /** `fieldKey` of the field. */
  field: string;
  /** Undefined where the field has no comparisons. */
  comparison: Comparison | undefined;
  /** As they are typed. */
  values: readonly string[];
}

export interface Sort {
  /** `sortKey` of the sort field. */
  by: string;
  isDescending: boolean;
}

/** Filters on the person of a contact. */
const personArgument = 'personSearchFilters';

/** Name of a field in an address and a form: `revenue`, or `person.skills` where a contact has them by its person. */
export function fieldKey({ path: [argument, name] }: Pick<FilterField, 'path'>): string {
  if (name === undefined) return argument!;
  return argument === personArgument ? `person.${name}` : name;
}

export function sortKey({ argument, by }: SortField): string {
  return argument === 'personSortBy' ? `person.${by}` : by;
}

export function findField({ filters }: EntitySchema, key: string): FilterField | undefined {
  return filters.find((field) => fieldKey(field) === key);
}

/** How many values a condition takes. */
export function amountOf(field: FilterField, comparison: Comparison | undefined): 'one' | 'two' | 'many' {
  if (comparison === undefined) return field.isList ? 'many' : 'one';
  if (comparison === 'BETWEEN') return 'two';
  return comparison === 'IS_ANY_OF' || comparison === 'IS_NOT_ANY_OF' || comparison === 'IS_ALL_OF' ? 'many' : 'one';
}

/** What most people want of a field first. */
export function firstComparison({ kind, comparisons }: FilterField): Comparison | undefined {
  const wanted: Comparison =
    kind === 'boolean' ? 'IS' : ['money', 'date', 'age'].includes(kind) ? 'MORE_OR_EQUALS_THAN' : 'IS_ANY_OF';
  return comparisons.includes(wanted) ? wanted : comparisons[0];
}

export const newCondition = (field: FilterField): Condition => ({
  field: fieldKey(field),
  comparison: firstComparison(field),
  values: field.kind === 'boolean' ? ['true'] : [],
});

/** The same values under another comparison, as far as it takes them. */
export function withComparison(field: FilterField, condition: Condition, comparison: Comparison): Condition {
  const counts = { one: 1, two: 2, many: Infinity };
  return { ...condition, comparison, values: condition.values.slice(0, counts[amountOf(field, comparison)]) };
}

/** For an address: `[["revenue","BETWEEN","1","2"]]`. Undefined for none. */
export function conditionsToText(conditions: readonly Condition[]): string | undefined {
  if (conditions.length === 0) return undefined;
  return JSON.stringify(conditions.map(({ field, comparison, values }) => [field, comparison ?? '', ...values]));
}

/** From an address, which anybody may have written: what this version does not know is left out and counted. */
export function conditionsFromText(
  entity: EntitySchema,
  text: string | undefined,
): { conditions: Condition[]; leftOut: number } {
  if (text === undefined) return { conditions: [], leftOut: 0 };
  let rows: unknown;
  try {
    rows = JSON.parse(text);
  } catch {
    // A link that was cut short.
    return { conditions: [], leftOut: 1 };
  }
  if (!Array.isArray(rows)) return { conditions: [], leftOut: 1 };
  const conditions: Condition[] = [];
  for (const row of rows as unknown[]) {
    const condition = conditionOf(entity, row);
    // A filter without comparisons can only be there once.
    const isTwice = condition?.comparison === undefined && conditions.some(({ field }) => field === condition?.field);
    if (condition && !isTwice) conditions.push(condition);
  }
  return { conditions, leftOut: rows.length - conditions.length };
}

function conditionOf(entity: EntitySchema, row: unknown): Condition | undefined {
  if (!Array.isArray(row) || !row.every((part) => typeof part === 'string')) return undefined;
  const [key, comparison, ...values] = row;
  const field = key === undefined ? undefined : findField(entity, key);
  if (!field) return undefined;
  const isPlain = field.comparisons.length === 0;
  const known = field.comparisons.find((one) => one === comparison);
  if (isPlain ? comparison !== '' : known === undefined) return undefined;
  return { field: fieldKey(field), comparison: known, values };
}

/** Why a condition cannot be asked, for the person who builds it; undefined when it can. */
export function faultOf(field: FilterField, { comparison, values }: Condition): string | undefined {
  const amount = amountOf(field, comparison);
  const filled = values.filter((value) => value.trim() !== '');
  if (filled.length === 0) return amount === 'many' ? 'Enter at least one value.' : 'Enter a value.';
  if (amount === 'two' && filled.length < 2) return 'Enter both values.';
  for (const value of filled) {
    const fault = valueFault(field, value.trim());
    if (fault !== undefined) return fault;
  }
  const [from, to] = filled.map((value) => orderOf(field, value.trim()));
  if (amount === 'two' && from! > to!) return 'The first value must not be above the second.';
  return undefined;
}

function valueFault({ kind }: FilterField, value: string): string | undefined {
  switch (kind) {
    case 'integer':
    case 'money':
      return wholeNumber(value) === undefined ? `${value} is not a whole number.` : undefined;
    case 'age':
      return /^\d{1,3}$/.test(value) && Number(value) <= 200 ? undefined : `${value} is not an age in whole years.`;
    case 'decimal':
      return value !== '' && Number.isFinite(Number(value)) ? undefined : `${value} is not a number.`;
    case 'date':
      return isDay(value) ? undefined : `${value} is not a date of the form YYYY-MM-DD.`;
    case 'instant':
      return Number.isNaN(Date.parse(`${value}Z`)) ? `${value} is not a date with a time.` : undefined;
    case 'boolean':
      return value === 'true' || value === 'false' ? undefined : 'Choose yes or no.';
    case 'text':
    case 'member':
    case 'name':
      return undefined;
  }
}

/** `1 000 000` and `1,000,000` are a million. */
export function wholeNumber(text: string): bigint | undefined {
  const digits = text.replaceAll(/(?<=\d)[ ,_'\u00a0\u202f](?=\d{3})/g, '');
  return /^-?\d{1,19}$/.test(digits) ? BigInt(digits) : undefined;
}

function isDay(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const day = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text);
}

function orderOf({ kind }: FilterField, value: string): bigint | string {
  return kind === 'date' || kind === 'instant' ? value : (wholeNumber(value) ?? value);
}

/** The variables of a request. Only for conditions without a fault. */
export function variablesOf(
  entity: EntitySchema,
  conditions: readonly Condition[],
  sort?: Sort,
): Record<string, unknown> {
  const variables: Record<string, unknown> = {};
  for (const condition of conditions) {
    const field = findField(entity, condition.field)!;
    const values = condition.values.filter((value) => value.trim() !== '').map((value) => valueOf(field, value.trim()));
    const [argument, name] = field.path as [string, string | undefined];
    const filter = { values, ...(condition.comparison && { comparison: condition.comparison }) };
    if (name === undefined) {
      variables[argument] = [...((variables[argument] as unknown[] | undefined) ?? []), filter];
      continue;
    }
    const inArgument = (variables[argument] ??= {}) as Record<string, unknown>;
    if (condition.comparison === undefined) inArgument[name] = field.isList ? values : values[0];
    else inArgument[name] = [...((inArgument[name] as unknown[] | undefined) ?? []), filter];
  }
  return { ...variables, ...sortVariables(entity, sort) };
}

function sortVariables({ sorts }: EntitySchema, sort: Sort | undefined): Record<string, unknown> {
  const field = sort && sorts.find((one) => sortKey(one) === sort.by);
  if (!field) return {};
  const direction = sort.isDescending ? 'DESC' : 'ASC';
  if (field.argument === 'sorters') return { sorters: [{ field: field.by, direction }] };
  return { [field.argument]: field.by, sortOrder: direction };
}

function valueOf({ kind }: FilterField, value: string): unknown {
  switch (kind) {
    case 'integer':
    case 'money':
    case 'age': {
      // JSON numbers beyond 2^53 lose digits; the API takes digits as well.
      const number = wholeNumber(value)!;
      return Number.isSafeInteger(Number(number)) ? Number(number) : String(number);
    }
    case 'decimal':
      return Number(value);
    case 'boolean':
      return value === 'true';
    case 'instant':
      return new Date(`${value}Z`).toISOString();
    case 'date':
    case 'text':
    case 'member':
    case 'name':
      return value;
  }
}
