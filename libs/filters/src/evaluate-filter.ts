// The same meaning as compile-filter.ts, in memory. It is the oracle of the SQL and of any other index.
import type { DealStatus } from './enumerations.js';
import type { Condition, NormalisedFilter, Range, RecordEntity } from './normalised-filter.js';
import { compareScalars, daysBetween, integerOf, type Scalar } from './scalars.js';
import { normaliseText, wordsOf } from './text.js';

/**
 * A row of the entity's data table by column name. Integers are numbers, bigints or strings of digits. Dates are
 * `YYYY-MM-DD`, instants are Dates, lists are arrays. A missing column is null, a missing list is empty, and missing
 * generated columns are made from the others.
 */
export type FilterRecord = Readonly<Record<string, unknown>>;

/** Whether the record satisfies every condition of the filter. */
export function evaluateFilter(filter: NormalisedFilter, record: FilterRecord): boolean {
  return filter.conditions.every((condition) => evaluateCondition(condition, filter, record));
}

function evaluateCondition(condition: Condition, filter: NormalisedFilter, record: FilterRecord): boolean {
  const read = (column: string, type?: string) => columnValue(filter.entity, column, type, record);
  switch (condition.op) {
    case 'in': {
      const value = read(condition.column, condition.type);
      return (value !== null && condition.values.includes(value as Scalar)) !== condition.isNegated;
    }
    case 'inRanges': {
      const value = read(condition.column, condition.type) as Scalar | null;
      return (value !== null && condition.ranges.some((range) => isIn(range, value))) !== condition.isNegated;
    }
    case 'overlaps': {
      const list = listOf(read(condition.column, condition.type));
      return condition.values.some((value) => list.includes(value)) !== condition.isNegated;
    }
    case 'containsAll': {
      const list = listOf(read(condition.column, condition.type));
      return condition.groups.every((group) => group.some((value) => list.includes(value)));
    }
    case 'hasElementIn':
      return listOf(read(condition.column, condition.type)).some((element) => isIn(condition.range, element));
    case 'words': {
      const words = listOf(read(condition.column));
      const { phrases, isUnfinished = false } = condition;
      const matches = (phrase: readonly string[]) =>
        phrase.every((word, place) =>
          isUnfinished && place === phrase.length - 1
            ? words.some((each) => (each as string).startsWith(word))
            : words.includes(word),
        );
      return (condition.match === 'all' ? phrases.every(matches) : phrases.some(matches)) !== condition.isNegated;
    }
    case 'wholeText':
      return condition.columns.some(({ column, isList }) =>
        isList ? listOf(read(column)).includes(condition.value) : read(column) === condition.value,
      );
    case 'status':
      return condition.statuses.includes(
        dealStatus({
          startDate: read(condition.startColumn) as string | null,
          endDate: read(condition.endColumn) as string | null,
          today: filter.today,
        }),
      );
    case 'either':
      return condition.conditions.some((each) => evaluateCondition(each, filter, record));
    case 'nothing':
      return false;
  }
}

/** FUTURE before the start date, PAST after the end date, else ACTIVE. Dates are `YYYY-MM-DD`. */
function dealStatus(deal: { startDate: string | null; endDate: string | null; today: string }): DealStatus {
  if (deal.startDate !== null && deal.startDate > deal.today) return 'FUTURE';
  if (deal.endDate !== null && deal.endDate < deal.today) return 'PAST';
  return 'ACTIVE';
}

function isIn(range: Range, value: Scalar): boolean {
  if (range.min) {
    const order = compareScalars(value, range.min.value);
    if (order < 0 || (order === 0 && !range.min.isInclusive)) return false;
  }
  if (range.max) {
    const order = compareScalars(value, range.max.value);
    if (order > 0 || (order === 0 && !range.max.isInclusive)) return false;
  }
  return true;
}

function listOf(value: unknown): readonly Scalar[] {
  return value === null ? [] : (value as readonly Scalar[]);
}

/** The value of a column, generated ones included, in the representation of scalars.ts. */
function columnValue(
  entity: RecordEntity,
  column: string,
  type: string | undefined,
  record: FilterRecord,
): Scalar | readonly Scalar[] | null {
  const generate = generatedColumns[entity][column];
  const value = generate && !(column in record) ? generate(record) : record[column];
  if (value === null || value === undefined) return null;
  if (value instanceof Date) return value.toISOString();
  // Drivers return bigint columns as digit strings.
  const scalarOf = (element: unknown) => (type === 'bigint' ? integerOf(element) : undefined) ?? (element as Scalar);
  return Array.isArray(value) ? value.map(scalarOf) : scalarOf(value);
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
const textsOf = (value: unknown): string[] => (Array.isArray(value) ? value.map(textOf) : []);

/** The generated columns of the gateway's data tables, and the addresses of contacts, which only engines hold. */
const generatedColumns: Record<RecordEntity, Record<string, (record: FilterRecord) => unknown>> = {
  company: {
    name_normalised: (record) => normaliseText(textOf(record['name'])),
    search: (record) =>
      wordsOf([record['name'], record['ticker'], record['headquarters'], record['description']].map(textOf).join(' ')),
  },
  person: {
    name_normalised: (record) => normaliseText(textOf(record['name'])),
    role_normalised: (record) => (typeof record['role'] === 'string' ? normaliseText(record['role']) : null),
    name_search: (record) => wordsOf(textOf(record['name'])),
    identity_search: (record) => wordsOf(`${textOf(record['name'])} ${textOf(record['role'])}`),
  },
  deal: {
    deal_length: ({ start_date: start, end_date: end }) =>
      typeof start === 'string' && typeof end === 'string' ? daysBetween(start, end) : null,
    title_normalised: (record) => normaliseText(textOf(record['title'])),
    title_search: (record) => wordsOf(textOf(record['title'])),
    buyer_names_normalised: (record) => textsOf(record['buyer_company_names']).map(normaliseText),
    buyer_search: (record) => wordsOf(textsOf(record['buyer_company_names']).join(' ')),
    seller_names_normalised: (record) => textsOf(record['seller_company_names']).map(normaliseText),
    seller_search: (record) => wordsOf(textsOf(record['seller_company_names']).join(' ')),
  },
  contact: {
    addresses: ({ email, emails }) => [email, ...textsOf(emails)].map((address) => textOf(address).toLowerCase()),
    search: ({ name, email, company_name: company, person_name: person, emails }) =>
      wordsOf([name, email, company, person].map(textOf).concat(textsOf(emails)).join(' ')),
  },
};
