// Which form the statement of a page takes. All forms give the same rows. The choice matters where PostgreSQL's own
// plan reads most of a table for one page (decision 0038). That happens for words or ids of lists that few records
// hold, and for deals that are filtered by one date and sorted by another.
import type { Condition, NormalisedFilter, Range } from '@tradewind/filters';
import type { SortKey } from './page-order.js';
import type { DayRange, OrderedFrom, PageForm } from './page-query.js';
import type { PageRequest } from './page-reader.port.js';

export function formOf(request: Pick<PageRequest, 'table' | 'filter' | 'sort' | 'limit'>): PageForm {
  const { filter, limit } = request;
  const days = formByDays(request);
  if (days) return days;
  const isNarrow = filter.conditions.some(asksForElements) || goesByOtherTime(request);
  return isNarrow ? { walkedMax: walkedMaxOf(limit) } : 'ordered';
}

/**
 * How many records are read in order, before all matching records are found instead. If these do not fill the page,
 * fewer than 5,000 of 1,000,000 records match. A higher number makes pages for rare words slower. A lower one makes
 * pages slower for words that one record in 200 has (decision 0038).
 */
function walkedMaxOf(limit: number): number {
  return 2000 + 200 * limit;
}

/** Whether records are asked for by words or elements of a list, of which PostgreSQL knows only the commonest. */
function asksForElements(condition: Condition): boolean {
  switch (condition.op) {
    case 'words':
    case 'overlaps':
      return !condition.isNegated;
    case 'containsAll':
    case 'wholeText':
    case 'hasElementIn':
      return true;
    default:
      return false;
  }
}

/** A contact is updated after it was created. In the order of one time, a range of the other is far from the start. */
function goesByOtherTime({ table, filter, sort }: Pick<PageRequest, 'table' | 'filter' | 'sort'>): boolean {
  const column = sort[0]?.column;
  if (table !== 'contact' || !column || !contactTimes.includes(column)) return false;
  return filter.conditions.some(
    (condition) =>
      condition.op === 'inRanges' && condition.column !== column && contactTimes.includes(condition.column),
  );
}

const contactTimes: readonly string[] = ['created_at', 'updated_at'];
const dealDates: readonly string[] = ['announced_date', 'start_date', 'end_date'];
/** Dates that have an index by blocks of days (data-tables/0006 and 0008). */
const datesWithBlocks: readonly string[] = ['start_date', 'end_date'];
/** Columns with few different values, so that many deals share each value. */
const columnsOfFewValues: readonly string[] = ['type', 'is_estimate', 'is_exclusive', 'renewal_option'];

/**
 * The dates of a deal are close together. In the order of one date, a range of another is therefore far from the start,
 * after all newer deals. Null where PostgreSQL's own plan is fast: without such a range, or with another condition that
 * few deals satisfy. That one has an index of its own.
 */
function formByDays({
  table,
  filter,
  sort,
}: Pick<PageRequest, 'table' | 'filter' | 'sort'>): DayRange | OrderedFrom | null {
  const [key] = sort;
  if (table !== 'deal' || !key || sort.length > 1 || !dealDates.includes(key.column)) return null;
  const { conditions } = filter;
  const ranges = conditions.filter(isRangeOfDays);
  if (ranges.length > 1 || !conditions.every((each) => isRangeOfDays(each) || holdsForMany(each))) return null;
  const [range] = ranges;
  if (!range) return formByStatus(filter, key);
  return range.column === key.column ? null : { column: range.column, ...extentOf(range.ranges) };
}

/**
 * In descending order past deals come last, in ascending order future deals. Active deals follow the future or the past
 * ones. In the other direction, deals of the status come first, and PostgreSQL finds them at once.
 */
function formByStatus(filter: NormalisedFilter, { column, direction }: SortKey): DayRange | OrderedFrom | null {
  const { today } = filter;
  const status = filter.conditions.find((condition) => condition.op === 'status');
  if (status?.statuses.length !== 1) return null;
  const [only] = status.statuses;
  const { startColumn, endColumn } = status;
  switch (only!) {
    case 'PAST':
      return direction === 'desc' && column !== endColumn ? { column: endColumn, last: today } : null;
    case 'FUTURE':
      return direction === 'asc' && column !== startColumn ? { column: startColumn, first: today } : null;
    case 'ACTIVE':
      if (column === endColumn) return direction === 'asc' ? { from: today } : null;
      if (column === startColumn && direction === 'desc') return { from: today };
      return { column: endColumn, first: today, orUnknown: true };
  }
}

function isRangeOfDays(condition: Condition): condition is Condition & { op: 'inRanges' } {
  return condition.op === 'inRanges' && !condition.isNegated && datesWithBlocks.includes(condition.column);
}

function holdsForMany(condition: Condition): boolean {
  return condition.op === 'status' || (condition.op === 'in' && columnsOfFewValues.includes(condition.column));
}

/** From the earliest to the latest day of all ranges. */
function extentOf(ranges: readonly Range[]): Omit<DayRange, 'column'> {
  const firsts = ranges.map(({ min }) => min && String(min.value)).sort();
  const lasts = ranges.map(({ max }) => max && String(max.value)).sort();
  const first = firsts.includes(undefined) ? undefined : firsts[0];
  const last = lasts.includes(undefined) ? undefined : lasts.at(-1);
  return { ...(first !== undefined && { first }), ...(last !== undefined && { last }) };
}
