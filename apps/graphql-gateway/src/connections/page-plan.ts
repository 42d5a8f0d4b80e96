// Which form a page's statement takes, where PostgreSQL's own choice is known to go wrong.
import type { Condition as FilterCondition, NormalisedFilter, Range } from '@tradewind/filters';
import type { DayRange, PageForm, SortKey } from './page-query.js';
import type { PageRequest } from './page-reader.port.js';
import type { SearchedWord, WordFrequencies } from './word-frequencies.js';

/** Words that a condition asks of a record: all words of one of the phrases, or of all of them. */
export interface WordsCondition {
  /** A tsvector. */
  column: string;
  phrases: readonly (readonly SearchedWord[])[];
  match: 'any' | 'all';
}

/** Counting more words than this costs more than a bad plan. */
const wordsMax = 10;
const dealDates: readonly string[] = ['announced_date', 'start_date', 'end_date'];
/** Those whose days are kept in blocks (data-tables/0006). */
const blockedDates: readonly string[] = ['start_date', 'end_date'];
/** Each value of these is that of many deals. */
const fewValued: readonly string[] = ['type', 'is_estimate', 'is_exclusive', 'renewal_option'];

export async function formOf(request: PageRequest, frequencies: WordFrequencies): Promise<PageForm> {
  const days = daysOfOtherDate(request);
  if (days) return days;
  const conditions = [...(request.words ?? []), ...(request.filter ? wordsOf(request.filter) : [])];
  for (const condition of conditions) if (await isRare(condition, request, frequencies)) return 'narrow';
  return 'ordered';
}

/**
 * Finding n records among N and sorting them reads n rows; walking in order until a page of p is full reads p * N / n.
 * A walked row costs half of a found one.
 */
async function isRare(
  { column, phrases, match }: WordsCondition,
  { table, limit }: PageRequest,
  frequencies: WordFrequencies,
): Promise<boolean> {
  const words = new Set(phrases.flat());
  if (words.size > wordsMax) return false;
  const byWord = new Map(
    await Promise.all([...words].map(async (word) => [word, await frequencies.of(table, column, word)] as const)),
  );
  const recordsOf = (phrase: readonly SearchedWord[]) => Math.min(...phrase.map((word) => byWord.get(word)!.records));
  const counts = phrases.map(recordsOf);
  const records = match === 'all' ? Math.min(...counts) : counts.reduce((sum, count) => sum + count, 0);
  const tableRecords = Math.max(...[...byWord.values()].map((frequency) => frequency.tableRecords));
  return records * records < (limit * tableRecords) / 2;
}

function wordsOf(filter: NormalisedFilter): WordsCondition[] {
  return filter.conditions.flatMap((condition): WordsCondition[] => {
    if (condition.op === 'words' && !condition.isNegated) return [condition];
    if (condition.op !== 'wholeText') return [];
    return [{ column: condition.wordsColumn, phrases: [condition.value.split(' ')], match: 'any' }];
  });
}

/**
 * Deals of a range of days, sorted by another of their dates. Dates of a deal go together, so a walk in that order reads all
 * that is newer before it comes to the range. Only with conditions besides that hold for a good part of the deals: one that
 * few satisfy has an index of its own.
 */
function daysOfOtherDate({ table, filter, sort }: PageRequest): DayRange | null {
  const [key] = sort;
  if (table !== 'deal' || !filter || sort.length !== 1 || !dealDates.includes(key!.column)) return null;
  const { conditions, today } = filter;
  const ranges = conditions.filter(isRangeOfDays);
  if (ranges.length > 1 || !conditions.every((each) => isRangeOfDays(each) || isLoose(each))) return null;
  const [range] = ranges;
  const days = range
    ? { column: range.column, ...extentOf(range.ranges) }
    : daysOfStatus(
        conditions.find((condition) => condition.op === 'status'),
        today,
        key!.direction,
      );
  return days && days.column !== key!.column ? days : null;
}

/** Past deals are at the far end of newest first, future ones at that of oldest first; the other way round they are met at once. */
function daysOfStatus(
  status: (FilterCondition & { op: 'status' }) | undefined,
  today: string,
  direction: SortKey['direction'],
): DayRange | null {
  if (status?.statuses.length !== 1) return null;
  const [only] = status.statuses;
  if (only === 'PAST' && direction === 'desc') return { column: status.endColumn, last: today };
  if (only === 'FUTURE' && direction === 'asc') return { column: status.startColumn, first: today };
  return null;
}

function isRangeOfDays(condition: FilterCondition): condition is FilterCondition & { op: 'inRanges' } {
  return condition.op === 'inRanges' && !condition.isNegated && blockedDates.includes(condition.column);
}

function isLoose(condition: FilterCondition): boolean {
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
