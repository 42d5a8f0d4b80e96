// From the normalised form to an OpenSearch query over the fields of opensearch-fields.ts. Every condition is a filter
// without a score. A negated condition is `must_not`, which is the exact complement: it holds without a value, too.
import type { DealStatus } from './enumerations.js';
import type { ColumnType } from './filter-fields.js';
import type { Condition, NormalisedFilter, Range } from './normalised-filter.js';
import { isThere } from './opensearch-fields.js';
import { daysBetween, type Scalar } from './scalars.js';

export type SearchQuery = Readonly<Record<string, unknown>>;

export const everything: SearchQuery = { match_all: {} };
const nothing: SearchQuery = { match_none: {} };

/** Integers travel as text: JSON numbers are exact to 2^53 only. */
export function searchQuery(filter: NormalisedFilter): SearchQuery {
  return allOf(filter.conditions.map((condition) => conditionQuery(condition, filter.today)));
}

/** The documents whose related record (`RelatedRecord`) is there and satisfies the filter. */
export function relatedQuery({ conditions, today }: NormalisedFilter, field: string): SearchQuery {
  const ofObject = conditions.map((condition) => conditionQuery(inObject(condition, field), today));
  return allOf([{ term: { [`${field}.${isThere}`]: true } }, ...ofObject]);
}

function inObject(condition: Condition, field: string): Condition {
  const named = (column: string) => `${field}.${column}`;
  switch (condition.op) {
    case 'in':
    case 'inRanges':
    case 'overlaps':
    case 'containsAll':
    case 'hasElementIn':
    case 'words':
      return { ...condition, column: named(condition.column) };
    case 'wholeText':
      return { ...condition, columns: condition.columns.map((each) => ({ ...each, column: named(each.column) })) };
    case 'status':
      return {
        ...condition,
        startColumn: named(condition.startColumn),
        endColumn: named(condition.endColumn),
      };
    case 'either':
      return { ...condition, conditions: condition.conditions.map((each) => inObject(each, field)) };
    case 'nothing':
      return condition;
  }
}

/** How many clauses Lucene counts in the query; a node refuses more than `indices.query.bool.max_clause_count`. */
export function clauseCount(query: SearchQuery): number {
  const { bool } = query as { bool?: Record<string, readonly SearchQuery[]> };
  if (!bool) return 1;
  return Object.values(bool)
    .flat()
    .reduce((sum, clause) => sum + clauseCount(clause), 0);
}

/** One list for all: Lucene is slower with a list inside of a list. */
export function allOf(all: readonly SearchQuery[]): SearchQuery {
  const queries = all.filter((query) => query !== everything);
  if (queries.length === 0) return everything;
  if (queries.length === 1) return queries[0]!;
  const filter: SearchQuery[] = [];
  const mustNot: SearchQuery[] = [];
  for (const query of queries) {
    const { bool } = query as { bool?: Record<string, readonly SearchQuery[]> };
    if (!bool || bool['should']) {
      filter.push(query);
      continue;
    }
    filter.push(...(bool['filter'] ?? []));
    mustNot.push(...(bool['must_not'] ?? []));
  }
  return { bool: { ...(filter.length > 0 && { filter }), ...(mustNot.length > 0 && { must_not: mustNot }) } };
}

/** What a query leaves out that asks for nothing else; undefined of any other. */
export function leftOutBy(query: SearchQuery): SearchQuery | undefined {
  const { must_not: mustNot, ...rest } = (query['bool'] ?? {}) as Record<string, readonly SearchQuery[]>;
  return mustNot && Object.keys(rest).length === 0 ? anyOf(mustNot) : undefined;
}

export const anyOf = (queries: readonly SearchQuery[]): SearchQuery =>
  queries.length === 0 ? nothing : queries.length === 1 ? queries[0]! : { bool: { should: queries } };

export const noneOf = (queries: readonly SearchQuery[]): SearchQuery =>
  queries.length === 0 ? everything : { bool: { must_not: queries } };

function conditionQuery(condition: Condition, today: string): SearchQuery {
  switch (condition.op) {
    case 'in': {
      const { column, type, values, isNegated } = condition;
      const query = among(column, values.map(termOf(type)));
      return isNegated ? noneOf([query]) : query;
    }
    case 'inRanges': {
      const { column, type, ranges, isNegated } = condition;
      const query = anyOf(ranges.map((range) => inRange(column, range, termOf(type))));
      return isNegated ? noneOf([query]) : query;
    }
    case 'overlaps': {
      const query = among(condition.column, condition.values.map(String));
      return condition.isNegated ? noneOf([query]) : query;
    }
    case 'containsAll':
      return allOf(condition.groups.map((group) => among(condition.column, group.map(String))));
    case 'hasElementIn':
      return inRange(`${condition.column}.number`, condition.range, String);
    case 'words': {
      const query = phrasesQuery(condition);
      return condition.isNegated ? noneOf([query]) : query;
    }
    case 'wholeText':
      return anyOf(condition.columns.map(({ column }) => among(column, [condition.value])));
    case 'status':
      return statusQuery(condition, dayNumber(today));
    case 'either':
      return anyOf(condition.conditions.map((each) => conditionQuery(each, today)));
    case 'nothing':
      return nothing;
  }
}

function phrasesQuery({ column, phrases, match, isUnfinished }: Condition & { op: 'words' }): SearchQuery {
  if (isUnfinished) {
    const ofPhrase = (phrase: readonly string[]) =>
      allOf(
        phrase.map((word, place) =>
          place === phrase.length - 1 ? { prefix: { [column]: word } } : among(column, [word]),
        ),
      );
    return (match === 'all' ? allOf : anyOf)(phrases.map(ofPhrase));
  }
  if (match === 'all') return allOf([...new Set(phrases.flat())].map((word) => among(column, [word])));
  const single = phrases.filter((phrase) => phrase.length === 1).map(([word]) => word!);
  const several = phrases
    .filter((phrase) => phrase.length !== 1)
    .map((phrase) => allOf(phrase.map((word) => among(column, [word]))));
  return anyOf([...(single.length > 0 ? [among(column, single)] : []), ...several]);
}

/** Each deal is one of FUTURE, PAST, ACTIVE, in this order. */
function statusQuery({ startColumn, endColumn, statuses }: Condition & { op: 'status' }, today: number): SearchQuery {
  const starts: SearchQuery = { range: { [startColumn]: { gt: today } } };
  const ended: SearchQuery = { range: { [endColumn]: { lt: today } } };
  const isStatus: Record<DealStatus, SearchQuery> = {
    FUTURE: starts,
    PAST: allOf([ended, noneOf([starts])]),
    ACTIVE: noneOf([starts, ended]),
  };
  return anyOf(statuses.map((status) => isStatus[status]));
}

function among(column: string, values: readonly (string | number)[]): SearchQuery {
  if (values.length === 0) return nothing;
  return values.length === 1 ? { term: { [column]: values[0] } } : { terms: { [column]: values } };
}

function inRange(column: string, { min, max }: Range, termOfValue: (value: Scalar) => string | number): SearchQuery {
  return {
    range: {
      [column]: {
        ...(min && { [min.isInclusive ? 'gte' : 'gt']: termOfValue(min.value) }),
        ...(max && { [max.isInclusive ? 'lte' : 'lt']: termOfValue(max.value) }),
      },
    },
  };
}

/** The value as its field holds it. */
export const termOf =
  (type: ColumnType) =>
  (value: Scalar): string | number => {
    if (type === 'date') return dayNumber(value as string);
    return type === 'timestamptz' ? microseconds(value as string) : String(value);
  };

/** Microseconds since 1970 of an instant as toISOString writes it. */
const microseconds = (instant: string): string => String(1000n * BigInt(Date.parse(instant)));

/** Days since 1970-01-01, as fields of dates hold them. */
export const dayNumber = (date: string): number => daysBetween('1970-01-01', date);
