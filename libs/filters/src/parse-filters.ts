// From the filter as it was sent to its normalised form. Every rule of data-api.md "Filter syntax" and DECISIONS.md
// "Commercial data" on comparisons and values is enforced here, with errors that name field, comparison and value.
import { type DealStatus, dealStatuses, type SearchComparison, searchComparisons } from './enumerations.js';
import { type FilterEntity, type FilterField, filterFields, findFilterField } from './filter-fields.js';
import { FilterError, shown } from './filter-error.js';
import { comparisonMeant, filterExample } from './filter-hints.js';
import type { NameDictionary } from './name-dictionary.js';
import { nearestOf } from './nearest.js';
import { canonicalOrder, type Condition, type NormalisedFilter, type Range } from './normalised-filter.js';
import { parseValue, valuesMaxPerFilter } from './parse-value.js';
import { compareScalars, type Scalar, yearsBefore } from './scalars.js';

export interface ParseContext {
  /** Today (UTC) as `YYYY-MM-DD`; ages and deal status follow from it. */
  today: string;
  names: NameDictionary;
}

/** Filter objects on one field; more than anybody needs, small enough to keep statements short. */
export const objectsMaxPerField = 20;

/** All texts of one filter object together, normalised; PostgreSQL takes a million bytes in one text search query. */
const textBytesMaxPerFilter = 200_000;

/**
 * Parses `{field: [{values, comparison}]}`; a bare object means a list of one, and null an absent field.
 * For companies the arguments topMarkets and officeLocation are fields like the others.
 * @throws FilterError naming field, comparison and value.
 */
export function parseFilters(
  entity: FilterEntity,
  input: Readonly<Record<string, unknown>> | null | undefined,
  context: ParseContext,
): NormalisedFilter {
  const conditions = Object.entries(input ?? {}).flatMap(([name, objects]) => {
    if (objects === null || objects === undefined) return [];
    const field = findFilterField(entity, name) ?? unknownField(entity, name);
    const list = Array.isArray(objects) ? (objects as unknown[]) : [objects];
    if (list.length > objectsMaxPerField) {
      throw new FilterError(`${name}: at most ${objectsMaxPerField} filter objects, got ${list.length}`, {
        field: name,
      });
    }
    return list.map((object) => parseObject(field, object, context));
  });
  return { entity, today: context.today, conditions: canonicalOrder(conditions) };
}

function unknownField(entity: FilterEntity, name: string): never {
  const suggestions = nearestOf(
    name,
    filterFields[entity].map((field) => field.name),
  );
  const hint = suggestions.length > 0 ? `; did you mean ${suggestions.join(', ')}?` : '';
  throw new FilterError(`${name}: ${entity} filters have no such field${hint}`, { field: name, suggestions });
}

function parseObject(field: FilterField, object: unknown, context: ParseContext): Condition {
  const { name } = field;
  if (typeof object !== 'object' || object === null || Array.isArray(object)) {
    throw new FilterError(
      `${name}: a filter is an object {values, comparison}, got ${shown(object)}; for example ${filterExample(name, object)}`,
      { field: name, value: object },
    );
  }
  const unknownKey = Object.keys(object).find((key) => key !== 'values' && key !== 'comparison');
  if (unknownKey !== undefined) {
    throw new FilterError(`${name}: a filter object has values and comparison, not ${shown(unknownKey)}`, {
      field: name,
      value: unknownKey,
    });
  }
  const sent = object as { values?: unknown; comparison?: unknown };
  const comparison = parseComparison(field, sent.comparison);
  const values =
    sent.values === undefined || sent.values === null
      ? []
      : Array.isArray(sent.values)
        ? (sent.values as unknown[])
        : [sent.values];
  checkCount(field, comparison, values);
  const groups = values.map((value) => parseValue(field, comparison, value, context.names));
  if (field.value.kind === 'text') checkTextSize(field, comparison, groups.flat());
  return toCondition(field, comparison, groups, values, context);
}

function parseComparison(field: FilterField, sent: unknown): SearchComparison {
  const comparison = (sent ?? 'IS_ANY_OF') as SearchComparison;
  if (typeof comparison !== 'string' || !Object.hasOwn(searchComparisons, comparison)) {
    const meant = comparisonMeant(sent);
    const right = meant && field.comparisons.includes(meant) ? meant : `one of ${field.comparisons.join(', ')}`;
    throw new FilterError(`${field.name}: ${shown(sent)} is not a comparison; use ${right}`, {
      field: field.name,
      comparison: shown(sent),
      value: sent,
    });
  }
  if (!field.comparisons.includes(comparison)) {
    throw new FilterError(
      `${field.name}: the comparison ${comparison} makes no sense here; use one of ${field.comparisons.join(', ')}`,
      { field: field.name, comparison },
    );
  }
  return comparison;
}

function checkCount(field: FilterField, comparison: SearchComparison, values: readonly unknown[]): void {
  const refuse = (rule: string): never => {
    throw new FilterError(`${field.name} ${comparison}: ${rule}, got ${values.length}`, {
      field: field.name,
      comparison,
      value: values,
    });
  };
  if (values.length === 0) refuse('needs at least one value');
  if (values.length > valuesMaxPerFilter) refuse(`takes at most ${valuesMaxPerFilter} values`);
  if (comparison === 'BETWEEN' && values.length !== 2) refuse('takes exactly two values, in ascending order');
  const takesOne = comparison === 'IS' || comparison.startsWith('MORE') || comparison.startsWith('LESS');
  if (takesOne && values.length !== 1) refuse('takes exactly one value');
}

function checkTextSize(field: FilterField, comparison: SearchComparison, texts: readonly Scalar[]): void {
  const bytes = texts.reduce((sum: number, text) => sum + Buffer.byteLength(String(text)), 0);
  if (bytes <= textBytesMaxPerFilter) return;
  throw new FilterError(`${field.name} ${comparison}: takes texts of at most ${textBytesMaxPerFilter} bytes together`, {
    field: field.name,
    comparison,
  });
}

/** `groups[i]` are the scalars that the i-th value means: one, or any number of ids for a name. */
function toCondition(
  field: FilterField,
  comparison: SearchComparison,
  groups: readonly (readonly Scalar[])[],
  sent: readonly unknown[],
  context: ParseContext,
): Condition {
  const { name, stored } = field;
  const isNegated = comparison === 'IS_NOT_ANY_OF';
  const scalars = distinct(groups.flat());
  switch (stored.shape) {
    case 'one': {
      if (field.value.kind === 'age')
        return ageCondition(field, comparison, scalars as number[], groups, sent, context.today);
      const { column, type } = stored;
      if (isOrder(comparison)) {
        const ranges = [toRange(field, comparison, groups, sent)];
        return { field: name, op: 'inRanges', column, type, ranges, isNegated: false };
      }
      if (comparison === 'IS_ALL_OF' && scalars.length > 1) return { field: name, op: 'nothing' };
      return { field: name, op: 'in', column, type, values: scalars, isNegated };
    }
    case 'list': {
      const { column, type } = stored;
      const words = stored.wordsColumn === undefined ? {} : { wordsColumn: stored.wordsColumn };
      if (isOrder(comparison))
        return { field: name, op: 'hasElementIn', column, type, range: toRange(field, comparison, groups, sent) };
      if (comparison === 'IS' || comparison === 'IS_ALL_OF') {
        return { field: name, op: 'containsAll', column, type, groups: distinctGroups(groups), ...words };
      }
      return { field: name, op: 'overlaps', column, type, values: scalars, isNegated, ...words };
    }
    case 'words': {
      const { column, whole } = stored;
      const [first] = scalars as string[];
      if (comparison === 'IS')
        return { field: name, op: 'wholeText', columns: whole, value: first!, wordsColumn: column };
      const phrases = distinctGroups(groups.map((group) => (group as string[])[0]!.split(' '))) as string[][];
      return {
        field: name,
        op: 'words',
        column,
        phrases,
        match: comparison === 'IS_ALL_OF' ? 'all' : 'any',
        isNegated,
      };
    }
    case 'status': {
      const { startColumn, endColumn } = stored;
      if (comparison === 'IS_ALL_OF' && scalars.length > 1) return { field: name, op: 'nothing' };
      const chosen = (Object.keys(dealStatuses) as DealStatus[]).filter(
        (status) => scalars.includes(status) !== isNegated,
      );
      return { field: name, op: 'status', startColumn, endColumn, statuses: chosen.sort() };
    }
  }
}

function isOrder(comparison: SearchComparison): boolean {
  return comparison === 'BETWEEN' || comparison.startsWith('MORE') || comparison.startsWith('LESS');
}

/** The interval of an order comparison; its values are single scalars. */
function toRange(
  field: FilterField,
  comparison: SearchComparison,
  groups: readonly (readonly Scalar[])[],
  sent: readonly unknown[],
): Range {
  const [first, second] = groups.map((group) => group[0]!);
  const bound = (isInclusive: boolean) => ({ value: first!, isInclusive });
  switch (comparison) {
    case 'MORE_THAN':
      return { min: bound(false) };
    case 'MORE_OR_EQUALS_THAN':
      return { min: bound(true) };
    case 'LESS_THAN':
      return { max: bound(false) };
    case 'LESS_OR_EQUALS_THAN':
      return { max: bound(true) };
    default:
      if (compareScalars(first!, second!) > 0) {
        throw new FilterError(
          `${field.name} BETWEEN: the first value ${shown(sent[0])} is greater than the second ${shown(sent[1])}`,
          { field: field.name, comparison, value: sent },
        );
      }
      return { min: bound(true), max: { value: second!, isInclusive: true } };
  }
}

/** Ages become intervals of the day of birth: older means born earlier. */
function ageCondition(
  field: FilterField,
  comparison: SearchComparison,
  ages: readonly number[],
  groups: readonly (readonly Scalar[])[],
  sent: readonly unknown[],
  today: string,
): Condition {
  const condition = { field: field.name, op: 'inRanges', column: 'birth_date', type: 'date' } as const;
  const isNegated = comparison === 'IS_NOT_ANY_OF';
  if (comparison === 'IS_ALL_OF' && ages.length > 1) return { field: field.name, op: 'nothing' };
  if (!isOrder(comparison)) {
    return { ...condition, ranges: ages.flatMap((age) => bornRange(today, age, age)), isNegated };
  }
  const { min, max } = toRange(field, comparison, groups, sent) as {
    min?: { value: number; isInclusive: boolean };
    max?: { value: number; isInclusive: boolean };
  };
  const youngest = min === undefined ? undefined : min.value + (min.isInclusive ? 0 : 1);
  const oldest = max === undefined ? undefined : max.value - (max.isInclusive ? 0 : 1);
  return { ...condition, ranges: bornRange(today, youngest, oldest), isNegated };
}

/** Days of birth of people between two ages, both included; no interval when there can be no such day. */
function bornRange(today: string, youngest: number | undefined, oldest: number | undefined): Range[] {
  if (oldest !== undefined && oldest < (youngest ?? 0)) return [];
  const latest = yearsBefore(today, youngest ?? 0);
  if (latest === undefined) return [];
  // A person born after this day has not yet had birthday number oldest + 1.
  const after = oldest === undefined ? undefined : yearsBefore(today, oldest + 1);
  const max = youngest === undefined ? {} : { max: { value: latest, isInclusive: true } };
  return [{ ...(after === undefined ? {} : { min: { value: after, isInclusive: false } }), ...max }];
}

function distinct(values: readonly Scalar[]): Scalar[] {
  return [...new Set(values)].sort(compareScalars);
}

function distinctGroups(groups: readonly (readonly Scalar[])[]): Scalar[][] {
  const byText = new Map(groups.map((group) => distinct(group)).map((group) => [group.join('\u0000'), group]));
  return [...byText].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, group]) => group);
}
