// Deals of a range of days, sorted by another of their dates. Dates of a deal go together, so a walk in that order reads all
// that is newer before it comes to the range. Only with conditions besides that hold for a good part of the deals: one that
// few satisfy has an index of its own.
import type { Condition, NormalisedFilter, Range } from '@tradewind/filters';
import type { SortKey } from './page-order.js';
import type { DayRange, OrderedFrom } from './page-query.js';
import type { PageRequest } from './page-reader.port.js';

const dealDates: readonly string[] = ['announced_date', 'start_date', 'end_date'];
/** Those whose days are kept in blocks (data-tables/0006). */
const blockedDates: readonly string[] = ['start_date', 'end_date'];
/** Each value of these is that of many deals. */
const fewValued: readonly string[] = ['type', 'is_estimate', 'is_exclusive', 'renewal_option'];

export function formByDays({ table, filter, sort }: PageRequest): DayRange | OrderedFrom | null {
  const [key] = sort;
  if (table !== 'deal' || !filter || sort.length !== 1 || !dealDates.includes(key!.column)) return null;
  const { conditions } = filter;
  const ranges = conditions.filter(isRangeOfDays);
  if (ranges.length > 1 || !conditions.every((each) => isRangeOfDays(each) || isLoose(each))) return null;
  const [range] = ranges;
  if (!range) return formByStatus(filter, key!);
  return range.column === key!.column ? null : { column: range.column, ...extentOf(range.ranges) };
}

/**
 * Past deals are at the far end of newest first, future ones at that of oldest first, active ones behind the past or the
 * future ones; in the other directions deals of the status are met at once.
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
  return condition.op === 'inRanges' && !condition.isNegated && blockedDates.includes(condition.column);
}

function isLoose(condition: Condition): boolean {
  return condition.op === 'status' || (condition.op === 'in' && fewValued.includes(condition.column));
}

/** From the earliest to the latest day of all ranges. */
function extentOf(ranges: readonly Range[]): Omit<DayRange, 'column'> {
  const firsts = ranges.map(({ min }) => min && String(min.value)).sort();
  const lasts = ranges.map(({ max }) => max && String(max.value)).sort();
  const first = firsts.includes(undefined) ? undefined : firsts[0];
  const last = lasts.includes(undefined) ? undefined : lasts.at(-1);
  return { ...(first !== undefined && { first }), ...(last !== undefined && { last }) };
}
