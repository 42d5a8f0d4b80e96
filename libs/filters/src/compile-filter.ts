// From the normalised form to a SQL condition over alias `t`. Values travel as parameters, never in the text; columns
// come from filter-fields.ts alone. The shapes are those that use the gateway's indexes. A single value is compared by
// `=`, since `= any` of one value loses the index order. Lists use `&&` and `@>` (GIN; never with the extension
// intarray), and words `@@` with a ready tsquery. A boolean column is its name alone, since a plan made for any `= $1`
// does not know how rare each value is.
import type { DealStatus } from './enumerations.js';
import type { Condition, NormalisedFilter, Range } from './normalised-filter.js';
import type { Scalar } from './scalars.js';

export interface CompiledFilter {
  /** A condition for WHERE, `true` for an empty filter. For a null column it may be null where it means false. */
  sql: string;
  /** Texts or lists of texts; the SQL casts each one. */
  params: (string | string[])[];
}

/** `firstParameter` is the number of the first placeholder, 1 unless the statement has parameters before. */
export function compileFilter(filter: NormalisedFilter, options: { firstParameter?: number } = {}): CompiledFilter {
  const parameters = new Parameters(options.firstParameter ?? 1);
  const conditions = filter.conditions.map((condition) => compileCondition(condition, filter.today, parameters));
  return { sql: conditions.length === 0 ? 'true' : conditions.join(' and '), params: parameters.values };
}

class Parameters {
  readonly values: CompiledFilter['params'] = [];

  constructor(private readonly first: number) {}

  one(value: Scalar, type: string): string {
    return `${this.add(String(value))}::${type}`;
  }

  list(values: readonly Scalar[], type: string): string {
    return `${this.add(values.map(String))}::${type}[]`;
  }

  private add(value: CompiledFilter['params'][number]): string {
    this.values.push(value);
    return `$${this.first + this.values.length - 1}`;
  }
}

function compileCondition(condition: Condition, today: string, parameters: Parameters): string {
  switch (condition.op) {
    case 'in': {
      const { values, type, isNegated } = condition;
      const column = `t.${condition.column}`;
      if (values.length === 1) {
        if (typeof values[0] === 'boolean') return booleanIs(column, values[0], isNegated);
        const value = parameters.one(values[0]!, type);
        return isNegated ? `${column} is distinct from ${value}` : `${column} = ${value}`;
      }
      const list = parameters.list(values, type);
      return isNegated ? `(${column} is null or ${column} <> all(${list}))` : `${column} = any(${list})`;
    }
    case 'inRanges': {
      const { ranges, type, isNegated } = condition;
      const column = `t.${condition.column}`;
      if (ranges.length === 0) return isNegated ? 'true' : 'false';
      const inside = either(ranges.map((range) => compileRange(column, type, range, parameters)));
      return isNegated ? `(${column} is null or not ${inside})` : inside;
    }
    case 'overlaps': {
      const { column, values, type, isNegated, wordsColumn } = condition;
      const overlap = `t.${column} && ${parameters.list(values, type)}`;
      if (isNegated) return `not (${overlap})`;
      return guarded(overlap, wordsColumn, values.map(wordsIn), '|', parameters);
    }
    case 'containsAll': {
      const { column, groups, type, wordsColumn } = condition;
      if (groups.some((group) => group.length === 0)) return 'false';
      const singles = groups.filter((group) => group.length === 1).map((group) => group[0]!);
      const parts = groups
        .filter((group) => group.length > 1)
        .map((group) => `t.${column} && ${parameters.list(group, type)}`);
      if (singles.length > 0) parts.unshift(`t.${column} @> ${parameters.list(singles, type)}`);
      return guarded(parts.join(' and '), wordsColumn, singles.map(wordsIn), '&', parameters);
    }
    case 'hasElementIn': {
      const { column, type, range } = condition;
      if (!range.min && !range.max) return `t.${column} <> '{}'`;
      return `exists (select from unnest(t.${column}) as element where ${compileRange('element', type, range, parameters)})`;
    }
    case 'words': {
      const { column, phrases, match, isNegated, isUnfinished } = condition;
      const query = tsquery(phrases, match === 'all' ? '&' : '|', isUnfinished);
      const matches = `t.${column} @@ ${parameters.one(query, 'tsquery')}`;
      return isNegated ? `not (${matches})` : matches;
    }
    case 'wholeText': {
      const { columns, value, wordsColumn } = condition;
      const parts = columns.map(({ column, isList }) =>
        isList
          ? `t.${column} @> ${parameters.list([value], 'text')}`
          : `t.${column} = ${parameters.one(value, 'text')}`,
      );
      // A list of names has no index of its own; the words narrow it first.
      const indexed = columns.some(({ isList }) => isList) ? wordsColumn : undefined;
      return guarded(either(parts), indexed, [wordsIn(value)], '|', parameters);
    }
    case 'status':
      return compileStatus(condition, today, parameters);
    case 'either':
      return either(condition.conditions.map((each) => compileCondition(each, today, parameters)));
    case 'nothing':
      return 'false';
  }
}

function booleanIs(column: string, value: boolean, isNegated: boolean): string {
  if (isNegated) return `${column} is not ${value}`;
  return value ? column : `not ${column}`;
}

function compileRange(column: string, type: string, range: Range, parameters: Parameters): string {
  const parts: string[] = [];
  if (range.min) parts.push(`${column} ${range.min.isInclusive ? '>=' : '>'} ${parameters.one(range.min.value, type)}`);
  if (range.max) parts.push(`${column} ${range.max.isInclusive ? '<=' : '<'} ${parameters.one(range.max.value, type)}`);
  if (parts.length === 0) parts.push(`${column} is not null`);
  return `(${parts.join(' and ')})`;
}

/** Each deal is one of FUTURE, PAST, ACTIVE. FUTURE is checked first: a deal that ends before it starts is FUTURE. */
function compileStatus(condition: Condition & { op: 'status' }, today: string, parameters: Parameters): string {
  const { statuses } = condition;
  if (statuses.length === 0) return 'false';
  if (statuses.length === 3) return 'true';
  const start = `t.${condition.startColumn}`;
  const end = `t.${condition.endColumn}`;
  const day = parameters.one(today, 'date');
  const started = `(${start} is null or ${start} <= ${day})`;
  const isStatus: Record<DealStatus, string> = {
    FUTURE: `(${start} is not null and ${start} > ${day})`,
    PAST: `(${end} is not null and ${end} < ${day} and ${started})`,
    ACTIVE: `(${started} and (${end} is null or ${end} >= ${day}))`,
  };
  return either(statuses.map((status) => isStatus[status]));
}

/** Adds the words of the texts as a condition that an index can answer and that every matching row satisfies. */
function guarded(
  sql: string,
  wordsColumn: string | undefined,
  phrases: readonly (readonly string[])[],
  operator: '&' | '|',
  parameters: Parameters,
): string {
  if (wordsColumn === undefined || phrases.length === 0) return sql;
  return `(t.${wordsColumn} @@ ${parameters.one(tsquery(phrases, operator), 'tsquery')} and ${sql})`;
}

/** Text of a tsquery: all words of a phrase, phrases joined by the operator; words are quoted, not parsed. */
function tsquery(phrases: readonly (readonly string[])[], operator: '&' | '|', isUnfinished = false): string {
  const end = isUnfinished ? ':*' : '';
  return phrases.map((phrase) => `(${phrase.map(quotedWord).join(' & ')}${end})`).join(` ${operator} `);
}

function quotedWord(word: string): string {
  return `'${word.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;
}

function wordsIn(normalised: Scalar): string[] {
  return String(normalised).split(' ');
}

function either(parts: readonly string[]): string {
  return parts.length === 1 ? parts[0]! : `(${parts.join(' or ')})`;
}
