// A filter in the words of PostGraphile's filter plugin, where it has any. It knows no words of texts, and no order in
// which nulls are last.
import type { Condition, NormalisedFilter, Range, RecordEntity, Scalar } from '@tradewind/filters';
import type { DrawnFilter } from './drawn-filters.js';

type Filter = Record<string, unknown>;

const fieldOf: Readonly<Record<RecordEntity, { field: string; type: string }>> = {
  company: { field: 'allCompanies', type: 'CompanyFilter' },
  person: { field: 'allPeople', type: 'PersonFilter' },
  deal: { field: 'allDeals', type: 'DealFilter' },
  contact: { field: 'allContacts', type: 'ContactFilter' },
};

/**
 * @param columns of the page, as SQL names them over alias `t`
 * @returns the body of the request, or undefined when the filter has no words there
 */
export function postgraphileBody(drawn: DrawnFilter, columns: string, pageSize: number): string | undefined {
  const { entity, filter, beside, sort } = drawn;
  const isById = sort.length === 0 || sort[0]!.column === 'id';
  if (!isById || beside.email !== undefined || beside.person) return undefined;
  const conditions = allOf(filter.conditions, filter);
  if (!conditions) return undefined;
  const { field, type } = fieldOf[entity];
  const names = columns.split(', ').map((column) => nameOf(column.replace('t.', '')));
  const orderBy = sort[0]?.direction === 'desc' ? 'PRIMARY_KEY_DESC' : 'PRIMARY_KEY_ASC';
  const filtered =
    conditions.length === 0
      ? { declared: '', passed: '' }
      : { declared: `, $filter: ${type}`, passed: ', filter: $filter' };
  return JSON.stringify({
    query: `query ($first: Int${filtered.declared}) { page: ${field}(first: $first, orderBy: ${orderBy}${filtered.passed}) { totalCount
      edges { cursor node { ${names.join(' ')} } } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } }`,
    variables: { first: pageSize, ...(conditions.length > 0 && { filter: { and: conditions } }) },
  });
}

function allOf(conditions: readonly Condition[], filter: NormalisedFilter): Filter[] | undefined {
  const all = conditions.map((condition) => filterOf(condition, filter));
  return all.every((each) => each !== undefined) ? all : undefined;
}

function filterOf(condition: Condition, filter: NormalisedFilter): Filter | undefined {
  switch (condition.op) {
    case 'in': {
      const { column, values, isNegated } = condition;
      const name = nameOf(column);
      return isNegated
        ? orNull(name, { [name]: { notIn: values.map((value) => sent(value, column)) } })
        : { [name]: { in: values.map((value) => sent(value, column)) } };
    }
    case 'inRanges': {
      const { column, ranges, isNegated } = condition;
      const name = nameOf(column);
      const some = ranges.map((range) => ({
        [name]: bounds(range, { column, more: 'greaterThan', less: 'lessThan' }),
      }));
      if (some.length === 0) return undefined;
      return isNegated ? orNull(name, { not: { or: some } }) : { or: some };
    }
    case 'overlaps': {
      const overlap = { [nameOf(condition.column)]: { overlaps: condition.values.map((value) => sent(value)) } };
      return condition.isNegated ? { not: overlap } : overlap;
    }
    case 'containsAll':
      return {
        and: condition.groups.map((group) => ({
          [nameOf(condition.column)]: { overlaps: group.map((value) => sent(value)) },
        })),
      };
    case 'hasElementIn': {
      // Two bounds would be satisfied by two elements.
      const { min, max } = condition.range;
      if ((min === undefined) === (max === undefined)) return undefined;
      // The plugin asks whether the value is below some element, and the other way round.
      return { [nameOf(condition.column)]: bounds(condition.range, { more: 'anyGreaterThan', less: 'anyLessThan' }) };
    }
    case 'wholeText': {
      const { columns, value } = condition;
      return {
        or: columns.map(({ column, isList }) => ({ [nameOf(column)]: { [isList ? 'anyEqualTo' : 'equalTo']: value } })),
      };
    }
    case 'status': {
      const [start, end] = [nameOf(condition.startColumn), nameOf(condition.endColumn)];
      const starts = { [start]: { greaterThan: filter.today } };
      const hasStarted = orNull(start, { [start]: { lessThanOrEqualTo: filter.today } });
      const of = {
        FUTURE: starts,
        PAST: { and: [hasStarted, { [end]: { lessThan: filter.today } }] },
        ACTIVE: { and: [hasStarted, orNull(end, { [end]: { greaterThanOrEqualTo: filter.today } })] },
      };
      return condition.statuses.length === 0 ? undefined : { or: condition.statuses.map((status) => of[status]) };
    }
    case 'either': {
      const some = allOf(condition.conditions, filter);
      return some && { or: some };
    }
    case 'words':
    case 'nothing':
      return undefined;
  }
}

const orNull = (name: string, filter: Filter): Filter => ({ or: [{ [name]: { isNull: true } }, filter] });

function bounds(
  { min, max }: Range,
  { column = '', more, less }: { column?: string; more: string; less: string },
): Filter {
  return {
    ...(min && { [min.isInclusive ? `${more}OrEqualTo` : more]: sent(min.value, column) }),
    ...(max && { [max.isInclusive ? `${less}OrEqualTo` : less]: sent(max.value, column) }),
  };
}

/** Integers of 64 bits are texts there, which numbers of fewer bits are not. */
const sent = (value: Scalar, column = ''): Scalar =>
  typeof value === 'boolean' || column === 'deal_length' ? value : String(value);

function nameOf(column: string): string {
  if (column === 'id') return 'rowId';
  return column.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
