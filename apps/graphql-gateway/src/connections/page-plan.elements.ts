// Records that hold certain words or ids in a list: whether they are walked to, found and sorted, or found block by block.
import type { Condition, NormalisedFilter } from '@tradewind/filters';
import { blockedLists, idBlockSize } from '../data-tables/id-block.js';
import type { Element, ElementFrequencies, ListCondition } from './element-frequencies.js';
import type { IdBlocks } from './page-query.js';
import type { PageRequest } from './page-reader.port.js';

/** How many records satisfy conditions on lists. */
export interface Selectivity {
  atMost: number;
  /** Of the conditions on words alone; infinite without one. */
  wordsAtMost: number;
  /** If elements are held independently of each other. */
  likely: number;
  tableRecords: number;
  /** As `ElementFrequencies.ids`; empty unless indexes of blocks hold all that the filter asks for. */
  ids: readonly bigint[];
}

type Estimate = Pick<Selectivity, 'atMost' | 'likely' | 'tableRecords'>;

/** Counting more elements than this costs more than a bad plan. */
const elementsMax = 10;
/** Costs beside that of a record which an index finds and the table gives (2.2 µs; decision 0038). */
const walkedCost = 0.5;
const blockCost = 25;
/** The statement of blocks has three parts. */
const blocksCost = 250;
const blocksMax = 64;
/** Half of a longer walk is more than planning to read the rows apart from it. */
const coveredCost = 300;

export function formByElements(request: PageRequest, selectivity: Selectivity): IdBlocks | 'narrow' | 'covered' | null {
  const { table, limit, sort } = request;
  const { wordsAtMost, tableRecords } = selectivity;
  const blocks = sort.length === 0 ? blocksOf(request, selectivity) : null;
  if (blocks) return blocks;
  // Finding n records among N and sorting them reads n; walking until a page of p is full reads p * N / n.
  // PostgreSQL knows the ids of a list better than words.
  if (wordsAtMost ** 2 < limit * tableRecords * walkedCost) return 'narrow';
  const isCovered = table === 'contact' && sort.length === 0 && wordsAtMost < Infinity;
  return isCovered && walkOf(limit, selectivity) > coveredCost ? 'covered' : null;
}

/** Walking in order until a page is full. */
function walkOf(limit: number, { likely, tableRecords }: Selectivity): number {
  return (limit / (likely / tableRecords)) * walkedCost;
}

/** The blocks that are likely to fill the page, when going through them is cheaper than either walking or finding all. */
function blocksOf({ after, limit }: PageRequest, selectivity: Selectivity): IdBlocks | null {
  const { ids, atMost, likely, tableRecords } = selectivity;
  const share = likely / tableRecords;
  const walk = walkOf(limit, selectivity);
  const otherwise = Math.min(walk, atMost);
  if (ids.length < 2 || !(otherwise > blocksCost)) return null;

  const position = after?.[0] ? BigInt(after[0]) : ids[0]!;
  const perId = share * recordsPerId(ids, tableRecords, position);
  // Less than one page in a hundred needs more than these.
  const wanted = limit + 3 * Math.sqrt(limit) + 3;
  const idsWanted = Math.ceil(wanted / perId);
  if (idsWanted > blocksMax * Number(idBlockSize)) return null;
  const first = position / idBlockSize;
  const last = (position + BigInt(idsWanted)) / idBlockSize;
  const count = Number(last - first) + 1;
  if (blocksCost + count * (blockCost + perId * Number(idBlockSize)) > otherwise) return null;
  return { first, last, rest: walk < likely ? 'ordered' : 'narrow' };
}

/** Around a position, as far as ids at equal distances in the order of all can tell. */
function recordsPerId(ids: readonly bigint[], tableRecords: number, position: bigint): number {
  const next = ids.findIndex((id, index) => index > 0 && id > position);
  const at = next === -1 ? ids.length - 1 : next;
  return Math.min(tableRecords / (ids.length - 1) / Number(ids[at]! - ids[at - 1]!), 1);
}

/** Null for conditions that nothing is known of. */
export async function selectivityOf(
  { table, filter, words = [] }: Pick<PageRequest, 'table' | 'filter' | 'words'>,
  frequencies: ElementFrequencies,
): Promise<Selectivity | null> {
  const ofFilter = filter?.conditions.map(listConditionOf) ?? [];
  const conditions = [...words, ...ofFilter.filter((condition) => condition !== null)];
  const all = await Promise.all(conditions.map((condition) => estimateOf(condition, table, frequencies)));
  const estimates = all.filter((estimate) => estimate !== null);
  if (estimates.length === 0) return null;

  const least = (some: readonly (Estimate | null)[]) => Math.min(...some.map((each) => each?.atMost ?? Infinity));
  const { tableRecords } = estimates[0]!;
  const isBlocked = filter && estimates.length === all.length && isAskedOfBlocks(table, filter, ofFilter);
  return {
    atMost: least(estimates),
    wordsAtMost: least(all.filter((_, index) => conditions[index]!.type === 'tsvector')),
    likely: tableRecords * product(estimates.map(({ likely }) => likely / tableRecords)),
    tableRecords,
    ids: isBlocked ? await frequencies.ids(table) : [],
  };
}

/** Whether indexes of blocks hold all that the filter asks for. */
function isAskedOfBlocks(table: string, filter: NormalisedFilter, lists: readonly (ListCondition | null)[]): boolean {
  const isWhole = filter.conditions.some(({ op }) => op === 'wholeText');
  return !isWhole && lists.every((list) => list !== null && blockedLists[table]?.includes(list.column));
}

async function estimateOf(
  condition: ListCondition,
  table: string,
  frequencies: ElementFrequencies,
): Promise<Estimate | null> {
  const { groups, match } = condition;
  const elements = [...new Set(groups.flat())];
  if (elements.length === 0 || elements.length > elementsMax) return null;
  const { records, tableRecords } = await frequencies.of(table, condition, elements);
  const recordsOf = (element: Element) => records[elements.indexOf(element)]!;
  const shareOf = (element: Element) => Math.min(recordsOf(element) / tableRecords, 1);

  const atMost = groups.map((group) => Math.min(...group.map(recordsOf)));
  const likely = groups.map((group) => product(group.map(shareOf)));
  return match === 'all'
    ? { atMost: Math.min(...atMost), likely: tableRecords * product(elements.map(shareOf)), tableRecords }
    : { atMost: sum(atMost), likely: tableRecords * Math.min(sum(likely), 1), tableRecords };
}

/** Null for conditions of another kind, and for those that hold for what a list lacks. */
function listConditionOf(condition: Condition): ListCondition | null {
  switch (condition.op) {
    case 'words': {
      const { column, phrases, match, isNegated } = condition;
      return isNegated ? null : { column, type: 'tsvector', groups: phrases, match };
    }
    case 'wholeText':
      return { column: condition.wordsColumn, type: 'tsvector', groups: [condition.value.split(' ')], match: 'any' };
    case 'overlaps': {
      const { column, type, values, isNegated } = condition;
      if (isNegated || type !== 'bigint') return null;
      return { column, type: 'bigint[]', groups: values.map((value) => [String(value)]), match: 'any' };
    }
    case 'containsAll': {
      const { column, type, groups } = condition;
      if (type !== 'bigint' || groups.some(({ length }) => length !== 1)) return null;
      return { column, type: 'bigint[]', groups: groups.map(([value]) => [String(value)]), match: 'all' };
    }
    default:
      return null;
  }
}

function product(factors: readonly number[]): number {
  return factors.reduce((all, factor) => all * factor, 1);
}

function sum(counts: readonly number[]): number {
  return counts.reduce((all, count) => all + count, 0);
}
