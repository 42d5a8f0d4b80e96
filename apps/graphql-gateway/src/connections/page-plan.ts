// Which form a page's statement takes, where PostgreSQL's own choice is known to go wrong.
import type { NormalisedFilter } from '@tradewind/filters';
import type { PageForm } from './page-query.js';
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

export async function formOf(request: PageRequest, frequencies: WordFrequencies): Promise<PageForm> {
  if (isRangeOfOtherDate(request)) return 'covered';
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

/** Deals between two days, sorted by another of their dates, and nothing else asked: indexes hold all of it (0005). */
function isRangeOfOtherDate({ table, filter, sort }: PageRequest): boolean {
  if (table !== 'deal' || !filter || sort.length !== 1 || filter.conditions.length !== 1) return false;
  const [condition] = filter.conditions;
  const [key] = sort;
  return (
    condition?.op === 'inRanges' &&
    !condition.isNegated &&
    condition.ranges.every(({ min, max }) => min && max) &&
    (condition.column === 'start_date' || condition.column === 'end_date') &&
    condition.column !== key!.column &&
    dealDates.includes(key!.column)
  );
}
