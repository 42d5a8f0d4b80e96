// One value of a record to the columns it fills. CSV cells are text, lists in them are separated by `|`; NDJSON has
// numbers, booleans, arrays and objects of its own. An empty cell or null clears the value.
import { dateOf, industries, integerOf, moneyAmount, type MoneyMultiplier, moneyMultipliers } from '@tradewind/filters';
import type { Value } from '../data-tables.js';
import type { LookUps } from '../look-ups.js';
import { regionClosure, sortedIds } from '../locations.js';
import type { Money } from '../money.js';
import type { ImportField, ImportKind } from './import-fields.js';
import { moneyFields } from './import-fields.js';
import type { PlaceFields } from './places.js';

/** A value that breaks a rule; the message continues "<field>: ". */
export class Refusal extends Error {}

const sectorIds = new Map(industries.map(({ id, sectorId }) => [id, sectorId]));

/** PostgreSQL cannot store it, and nobody means it. */
const nul = '\u0000';

/** Words of a text search column end here; a longer run of letters is no text (PostgreSQL refuses 2,047 bytes). */
const wordCharsMax = 500;
const textCharsMax = 100_000;

/** Names of skills, categories and sports, which become rows of their own. */
const nameCharsMax = 100;

export async function convertCell(
  field: ImportField,
  sent: unknown,
  lookUps: LookUps,
  places: PlaceFields,
): Promise<Record<string, Value>> {
  const { column, value: type } = field;
  const value = typeof sent === 'string' && sent.trim() === '' ? null : sent;
  switch (type.kind) {
    case 'id':
      return { [column]: positive(value ?? refuse('is missing')) };
    case 'text':
      return { [column]: optional(value, textOf) };
    case 'integer':
      return { [column]: optional(value, (number) => wholeNumber(field, number)) };
    case 'date':
      return { [column]: optional(value, (day) => dateOf(day) ?? refuse(`${shown(day)} is not a date YYYY-MM-DD`)) };
    case 'timestamp':
      return value === null ? {} : { [column]: timestampOf(value) };
    case 'boolean':
      return value === null ? clearedBoolean(field) : { [column]: booleanOf(value) };
    case 'uuid':
      return { [column]: optional(value, uuidOf) };
    case 'member':
      return { [column]: optional(value, (member) => memberOf(type.members, member)) };
    case 'ids':
      return { [column]: [...new Set(listOf(value).map(positive))] };
    case 'texts':
      return { [column]: [...new Set(listOf(value).map(textOf))] };
    case 'identifiers':
      return { [column]: identifiersOf(value) };
    case 'money': {
      const money = optional(value, moneyOf);
      return { [column]: money, ...(type.amountColumn && { [type.amountColumn]: money && moneyAmount(money) }) };
    }
    case 'industry': {
      const id = optional(value, (industry) => resolved('industry', industry, lookUps));
      return { [column]: id, sector_id: id && sectorIds.get(id)! };
    }
    case 'country':
      places.countryId = optional(value, (country) => resolved('country', country, lookUps));
      return {};
    case 'headquarters':
      places.headquarters = optional(value, textOf);
      return {};
    case 'places':
      places.places = listOf(value).map((place) => (typeof place === 'number' ? String(place) : textOf(place)));
      return {};
    case 'regions':
      return {
        [column]: sortedIds(...listOf(value).map((region) => regionClosure(resolved('region', region, lookUps)))),
      };
    case 'named':
      return { [column]: await namedIds(type, value, lookUps) };
  }
}

/** The converted value; null when there is none. */
function optional<T>(value: unknown, convert: (value: unknown) => T): T | null {
  return value === null || value === undefined ? null : convert(value);
}

function refuse(problem: string): never {
  throw new Refusal(problem);
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
}

function positive(value: unknown): number {
  const id = integerOf(value);
  return typeof id === 'number' && id > 0 ? id : refuse(`${shown(value)} is not a positive whole number`);
}

/** Limits of single columns: years are four digits, the other numbers count something. */
function wholeNumber(field: ImportField, value: unknown): number {
  const number = integerOf(value);
  if (typeof number !== 'number') return refuse(`${shown(value)} is not a whole number`);
  const isId = field.name.endsWith('Id');
  if (number < (isId ? 1 : 0)) return refuse(`${shown(value)} is ${isId ? 'not a positive number' : 'negative'}`);
  if (field.name === 'foundedYear' && (number < 500 || number > 2200)) return refuse(`${shown(value)} is not a year`);
  return number;
}

function textOf(value: unknown): string {
  if (typeof value !== 'string') return refuse(`${shown(value)} is not a text`);
  const text = value.trim();
  if (text === '') return refuse('is empty');
  if (text.includes(nul)) return refuse('holds a NUL character');
  if (/\p{Surrogate}/u.test(text)) return refuse('is not well-formed Unicode');
  if (text.length > textCharsMax) return refuse(`is longer than ${textCharsMax} characters`);
  if (/[\p{L}\p{N}\p{M}]{501}/u.test(text)) return refuse(`has a word of more than ${wordCharsMax} characters`);
  return text;
}

function timestampOf(value: unknown): string {
  const isText =
    typeof value === 'string' && /^\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:?\d\d)?)?$/.test(value);
  const instant = isText
    ? new Date(value.length === 10 || /(Z|[+-]\d\d:?\d\d)$/.test(value) ? value : `${value}Z`)
    : undefined;
  if (!instant || Number.isNaN(instant.getTime())) return refuse(`${shown(value)} is not an ISO 8601 time`);
  return instant.toISOString();
}

function booleanOf(value: unknown): boolean {
  if (typeof value === 'boolean') return value;
  const text = typeof value === 'string' ? value.trim().toLowerCase() : '';
  if (text === 'true' || text === 'yes' || text === '1') return true;
  if (text === 'false' || text === 'no' || text === '0') return false;
  return refuse(`${shown(value)} is not true or false`);
}

/** Flags of contacts are never null: an empty cell says nothing about them. */
function clearedBoolean({ column, name }: ImportField): Record<string, Value> {
  const isNullable = ['isPublic', 'hasSubsidiary', 'isEstimate', 'isExclusive'].includes(name);
  return isNullable ? { [column]: null } : {};
}

function uuidOf(value: unknown): string {
  const isUuid = typeof value === 'string' && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(value.trim());
  return isUuid ? value.trim().toLowerCase() : refuse(`${shown(value)} is not a UUID`);
}

function memberOf(members: readonly string[], value: unknown): string {
  const member = typeof value === 'string' ? value.trim().toUpperCase() : '';
  return members.includes(member) ? member : refuse(`${shown(value)} is not one of ${members.join(', ')}`);
}

function listOf(value: unknown): unknown[] {
  if (value === null || value === undefined) return [];
  if (Array.isArray(value)) return value as unknown[];
  if (typeof value !== 'string') return [value];
  return value
    .split('|')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

function identifiersOf(value: unknown): { name: string; value: string }[] {
  return listOf(value).map((entry) => {
    if (typeof entry === 'string') {
      const equals = entry.indexOf('=');
      if (equals === -1) return refuse(`${shown(entry)} is not of the form NAME=value`);
      return { name: textOf(entry.slice(0, equals)), value: textOf(entry.slice(equals + 1)) };
    }
    const pair = entry as { name?: unknown; value?: unknown } | null;
    return { name: textOf(pair?.name), value: textOf(pair?.value) };
  });
}

function moneyOf(value: unknown): Money {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return refuse(`${shown(value)} is not Money {${moneyFields.join(', ')}}`);
  }
  const unknown = Object.keys(value).find((key) => !(moneyFields as readonly string[]).includes(key));
  if (unknown !== undefined) return refuse(`Money has no field ${shown(unknown)}`);
  const sent = value as Partial<Record<(typeof moneyFields)[number], unknown>>;
  const money: Money = {
    value: amountNumber(sent.value ?? refuse('value is missing')),
    currency: currencyOf(sent.currency ?? refuse('currency is missing')),
    multiplier: multiplierOf(sent.multiplier ?? 'UNITS'),
    isVerified: booleanOf(sent.isVerified ?? false),
    localCurrency: optional(sent.localCurrency, currencyOf),
    localCurrencyValue: optional(sent.localCurrencyValue, amountNumber),
    localCurrencyValueMultiplier: optional(sent.localCurrencyValueMultiplier, multiplierOf),
  };
  if (!Number.isSafeInteger(moneyAmount(money))) return refuse(`${shown(sent.value)} ${money.multiplier} is too large`);
  return money;
}

function amountNumber(value: unknown): number {
  const isNumber =
    typeof value === 'number' || (typeof value === 'string' && /^\s*-?\d{1,18}(\.\d{1,9})?\s*$/.test(value));
  const number = isNumber ? Number(value) : NaN;
  return Number.isFinite(number) ? number : refuse(`${shown(value)} is not an amount`);
}

function currencyOf(value: unknown): string {
  const code = typeof value === 'string' ? value.trim().toUpperCase() : '';
  return /^[A-Z]{3}$/.test(code) ? code : refuse(`${shown(value)} is not a currency code of three letters`);
}

function multiplierOf(value: unknown): MoneyMultiplier {
  return memberOf(Object.keys(moneyMultipliers), value) as MoneyMultiplier;
}

function resolved(vocabulary: 'industry' | 'country' | 'region', value: unknown, lookUps: LookUps): number {
  if (typeof value !== 'string' && typeof value !== 'number') return refuse(`${shown(value)} is not a name or id`);
  const resolution = lookUps.resolve(vocabulary, value);
  if ('ids' in resolution) return resolution.ids[0]!;
  const hint = resolution.nearest.length > 0 ? `; the nearest are ${resolution.nearest.join(', ')}` : '';
  return refuse(`there is no ${vocabulary} ${shown(value)}${hint}`);
}

async function namedIds(
  { table, isOpen }: ImportKind & { kind: 'named' },
  value: unknown,
  lookUps: LookUps,
): Promise<number[]> {
  const ids: number[] = [];
  for (const entry of listOf(value)) {
    const name = typeof entry === 'number' ? String(entry) : textOf(entry);
    const known = lookUps.findNamed(table, name);
    if (name.length > nameCharsMax) return refuse(`${shown(name)} is longer than ${nameCharsMax} characters`);
    if (known !== undefined) ids.push(known);
    else if (isOpen && !/^\d+$/.test(name)) ids.push(await lookUps.addNamed(table, name));
    else return refuse(`there is no ${table} ${shown(name)}`);
  }
  return sortedIds(ids);
}
