// How fields, comparisons and values read. Pure.
import type { Comparison, FilterField, RecordField } from './schema.types';

/** `numberOfEmployees` is "Number of employees", `person.languageIds` "Person: language ids". */
export function labelOf(key: string): string {
  const [first, second] = key.split('.') as [string, string | undefined];
  if (second !== undefined) return `${labelOf(first)}: ${labelOf(second).toLowerCase()}`;
  const words = first
    .replaceAll('_', ' ')
    .replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ')
    .toLowerCase();
  const text = words.replaceAll(/\burl\b/g, 'address');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

const ofOrder: Partial<Record<Comparison, string>> = {
  MORE_THAN: 'is more than',
  MORE_OR_EQUALS_THAN: 'is at least',
  LESS_THAN: 'is less than',
  LESS_OR_EQUALS_THAN: 'is at most',
};
const ofDates: Partial<Record<Comparison, string>> = {
  MORE_THAN: 'is after',
  MORE_OR_EQUALS_THAN: 'is on or after',
  LESS_THAN: 'is before',
  LESS_OR_EQUALS_THAN: 'is on or before',
};
const ofTexts: Partial<Record<Comparison, string>> = {
  IS: 'is exactly',
  IS_ANY_OF: 'has the words of any of',
  IS_NOT_ANY_OF: 'has the words of none of',
  IS_ALL_OF: 'has the words of all of',
};
const ofAll: Record<Comparison, string> = {
  IS: 'is',
  IS_ANY_OF: 'is any of',
  IS_NOT_ANY_OF: 'is none of',
  IS_ALL_OF: 'is all of',
  BETWEEN: 'is between',
  ...(ofOrder as Record<'MORE_THAN' | 'MORE_OR_EQUALS_THAN' | 'LESS_THAN' | 'LESS_OR_EQUALS_THAN', string>),
};

export function comparisonLabel({ kind }: Pick<FilterField, 'kind'>, comparison: Comparison): string {
  const own = kind === 'date' ? ofDates : kind === 'text' ? ofTexts : ofOrder;
  return own[comparison] ?? ofAll[comparison];
}

const number = (value: number) => value.toLocaleString('en', { maximumFractionDigits: 2 });
const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A value of a record in one line; undefined when it is not known. */
export function valueText(field: RecordField, value: unknown): string | undefined {
  if (value === null || value === undefined) return undefined;
  if (Array.isArray(value)) {
    const texts = value.flatMap((one) => valueText({ ...field, isList: false }, one) ?? []);
    return texts.length === 0 ? undefined : texts.join(', ');
  }
  if (isRecord(value)) return objectText(field, value);
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'number') return /year$/i.test(field.name) ? String(value) : number(value);
  if (typeof value !== 'string') return undefined;
  return field.members ? labelOf(value.toLowerCase()) : value;
}

function objectText({ type, fields = [] }: RecordField, value: Record<string, unknown>): string | undefined {
  if (type === 'Money') return moneyText(value);
  if (type === 'PersonSalary') return salaryText(value);
  if ('value' in value && 'name' in value) return `${String(value['name'])}: ${String(value['value'])}`;
  if ('name' in value) return typeof value['name'] === 'string' ? value['name'] : idText(value['id']);
  const parts = fields.flatMap((field) => {
    const text = valueText(field, value[field.name]);
    return text === undefined ? [] : [`${labelOf(field.name)} ${text}`];
  });
  return parts.length === 0 ? undefined : parts.join('; ');
}

/** A reference whose name is not known. */
const idText = (id: unknown): string | undefined => (typeof id === 'string' ? `id ${id}` : undefined);

/** The salary, and the range that it is estimated from. */
function salaryText(salary: Record<string, unknown>): string | undefined {
  const [gross, lower, upper] = ['grossSalary', 'grossSalaryLowerRange', 'grossSalaryUpperRange'].map((name) => {
    const money = salary[name];
    return isRecord(money) ? moneyText(money) : undefined;
  });
  const range = lower !== undefined && upper !== undefined ? `${lower} to ${upper}` : undefined;
  return gross !== undefined && range !== undefined ? `${gross} (${range})` : (gross ?? range);
}

function moneyText({ value, multiplier, currency }: Record<string, unknown>): string | undefined {
  if (typeof value !== 'number') return undefined;
  const words: Record<string, string> = { THOUSANDS: 'thousand', MILLIONS: 'million', BILLIONS: 'billion' };
  return [typeof currency === 'string' ? currency : '', number(value), words[String(multiplier)] ?? '']
    .filter(Boolean)
    .join(' ');
}
