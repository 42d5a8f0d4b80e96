// Recognises filters that contradict themselves, such as more than 5 and less than 3 employees: no record can satisfy
// them, so nothing need be read. It may miss a contradiction, but a filter that it calls one never matches.
import type { DealStatus } from './enumerations.js';
import type { ColumnType } from './filter-fields.js';
import { difference, intersection, type Intervals, union } from './intervals.js';
import type { Condition, NormalisedFilter, Range } from './normalised-filter.js';
import { daysBetween, type Scalar } from './scalars.js';

/** A filter may have thousands of values on both sides; to compare more pairs than this would take milliseconds. */
const pairsMax = 20_000;

/** The same filter, or one of the same meaning that says at once that nothing matches. */
export function reduceContradiction(filter: NormalisedFilter): NormalisedFilter {
  if (!isContradictory(filter)) return filter;
  return { ...filter, conditions: [{ field: '', op: 'nothing' }] };
}

/** Whether the conditions of the filter exclude each other, whatever the record is. */
export function isContradictory({ conditions, today }: NormalisedFilter): boolean {
  const words = new Map<string, WordConditions>();
  const columns = new Columns();
  const lists = new Map<string, ListConditions>();
  const status: (Condition & { op: 'status' })[] = [];
  for (const condition of conditions) {
    switch (condition.op) {
      case 'nothing':
        return true;
      case 'either':
        if (condition.conditions.every((each) => isContradictory({ entity: 'contact', today, conditions: [each] })))
          return true;
        break;
      case 'in':
        columns.narrow(condition.column, valuesSet(condition.type, condition.values), condition.isNegated);
        break;
      case 'inRanges': {
        const set = rangesSet(condition.type, condition.ranges);
        if (set) columns.narrow(condition.column, set, condition.isNegated);
        break;
      }
      case 'overlaps': {
        const set = valuesSet(condition.type, condition.values);
        (condition.isNegated ? listAt(lists, condition.column).none : listAt(lists, condition.column).some).push(set);
        break;
      }
      case 'containsAll':
        listAt(lists, condition.column).some.push(...condition.groups.map((group) => valuesSet(condition.type, group)));
        break;
      case 'hasElementIn': {
        const set = rangesSet(condition.type, [condition.range]);
        if (set) listAt(lists, condition.column).some.push(set);
        break;
      }
      case 'words':
        wordsAt(words, condition.column).conditions.push(condition);
        break;
      case 'wholeText': {
        const [only, another] = condition.columns;
        if (only && !another && !only.isList) columns.narrow(only.column, new Set([condition.value]), false);
        // The words of the whole text are in the column of words, which is made from it.
        for (const word of condition.value.split(' ')) wordsAt(words, condition.wordsColumn).required.add(word);
        break;
      }
      case 'status':
        status.push(condition);
        break;
    }
  }
  return (
    columns.areContradictory() ||
    [...lists.values()].some(isContradictoryList) ||
    [...words.values()].some(areContradictoryWords) ||
    (status.length > 0 && isContradictoryStatus(status, columns, today))
  );
}

/** Values of a column or of an element of a list: numbers and days as intervals, all others one by one. */
type ValueSet = Intervals | ReadonlySet<Scalar>;

/** What a column may hold. */
interface Allowed {
  /** Undefined while no condition restricts it to some values. */
  values?: ValueSet;
  /** Values that are excluded while there are no `values`. */
  without: ValueSet[];
  isNullAllowed: boolean;
}

class Columns {
  private readonly allowed = new Map<string, Allowed>();

  /** Leaves only the values of the set, or, negated, only null and the others. */
  narrow(column: string, set: ValueSet, isNegated: boolean): void {
    const before = this.allowed.get(column) ?? { without: [], isNullAllowed: true };
    if (isNegated) {
      const values = before.values && withoutValues(before.values, set);
      this.allowed.set(column, { ...before, ...(values && { values }), without: [...before.without, set] });
      return;
    }
    const values = before.values ? inBoth(before.values, set) : before.without.reduce(withoutValues, set);
    this.allowed.set(column, { values, without: before.without, isNullAllowed: false });
  }

  areContradictory(): boolean {
    return [...this.allowed.values()].some(({ values, isNullAllowed }) => values && !isNullAllowed && isEmpty(values));
  }

  /** Whether the column can have one of the days, or be null if that is asked for, too. */
  canBe(column: string, days: Intervals, orNull: boolean): boolean {
    const { values, without, isNullAllowed } = this.allowed.get(column) ?? { without: [], isNullAllowed: true };
    if (orNull && isNullAllowed) return true;
    return !isEmpty(values ? inBoth(values, days) : without.reduce(withoutValues, days));
  }
}

interface ListConditions {
  /** An element of each of these sets is in the list. */
  some: ValueSet[];
  /** No element of these sets is in the list. */
  none: ValueSet[];
}

function isContradictoryList({ some, none }: ListConditions): boolean {
  if (some.some(isEmpty)) return true;
  if (some.length * none.reduce((sum, set) => sum + sizeOf(set), 0) > pairsMax) return false;
  return some.some((set) => isEmpty(none.reduce(withoutValues, set)));
}

interface WordConditions {
  conditions: (Condition & { op: 'words' })[];
  /** Words that the record has. */
  required: Set<string>;
}

/** Whether the words that a record must have include all words of a phrase that it must not have. */
function areContradictoryWords({ conditions, required }: WordConditions): boolean {
  // The last word of an unfinished phrase may be the beginning of any other word.
  const sureWords = (phrase: readonly string[], isUnfinished = false) => (isUnfinished ? phrase.slice(0, -1) : phrase);
  const wanted = conditions.filter(({ isNegated }) => !isNegated);
  const unwanted = conditions
    .filter(({ isNegated, isUnfinished, match, phrases }) => {
      return isNegated && !isUnfinished && (match === 'any' || phrases.length === 1);
    })
    .flatMap(({ phrases }) => phrases);
  if (unwanted.length === 0) return wanted.some(({ match, phrases }) => match === 'any' && phrases.length === 0);
  const words = new Set(required);
  for (const { match, phrases, isUnfinished } of wanted) {
    if (match === 'any' && phrases.length !== 1) continue;
    for (const word of phrases.flatMap((phrase) => sureWords(phrase, isUnfinished))) words.add(word);
  }
  const isUnwanted = (more: readonly string[]) =>
    unwanted.some((phrase) => phrase.every((word) => words.has(word) || more.includes(word)));
  if (isUnwanted([])) return true;
  if (unwanted.length * wanted.reduce((sum, { phrases }) => sum + phrases.length, 0) > pairsMax) return false;
  return wanted.some(
    ({ match, phrases, isUnfinished }) =>
      match === 'any' && phrases.every((phrase) => isUnwanted(sureWords(phrase, isUnfinished))),
  );
}

/** Whether no status that all conditions allow fits the dates that the other conditions allow. */
function isContradictoryStatus(
  conditions: readonly (Condition & { op: 'status' })[],
  columns: Columns,
  today: string,
): boolean {
  const { startColumn, endColumn, statuses } = conditions[0]!;
  const day = dayOf(today);
  const before = [{ first: dateBounds.first, last: day - 1n }];
  const upToToday = [{ first: dateBounds.first, last: day }];
  const fromToday = [{ first: day, last: dateBounds.last }];
  const after = [{ first: day + 1n, last: dateBounds.last }];
  const isPossible: Record<DealStatus, () => boolean> = {
    FUTURE: () => columns.canBe(startColumn, after, false),
    PAST: () => columns.canBe(startColumn, upToToday, true) && columns.canBe(endColumn, before, false),
    ACTIVE: () => columns.canBe(startColumn, upToToday, true) && columns.canBe(endColumn, fromToday, true),
  };
  return !statuses.some((status) => conditions.every((each) => each.statuses.includes(status)) && isPossible[status]());
}

function listAt(lists: Map<string, ListConditions>, column: string): ListConditions {
  let list = lists.get(column);
  if (!list) lists.set(column, (list = { some: [], none: [] }));
  return list;
}

function wordsAt(words: Map<string, WordConditions>, column: string): WordConditions {
  let found = words.get(column);
  if (!found) words.set(column, (found = { conditions: [], required: new Set() }));
  return found;
}

function valuesSet(type: ColumnType, values: readonly Scalar[]): ValueSet {
  const toNumber = numbers[type]?.of;
  if (!toNumber) return new Set(values);
  return union(values.map((value) => ({ first: toNumber(value), last: toNumber(value) })));
}

/** Undefined for types whose values have no next one. */
function rangesSet(type: ColumnType, ranges: readonly Range[]): Intervals | undefined {
  const number = numbers[type];
  if (!number) return undefined;
  const { of, bounds } = number;
  return union(
    ranges.map(({ min, max }) => ({
      first: min ? of(min.value) + (min.isInclusive ? 0n : 1n) : bounds.first,
      last: max ? of(max.value) - (max.isInclusive ? 0n : 1n) : bounds.last,
    })),
  ).flatMap((interval) => intersection([interval], [bounds]));
}

const dayOf = (date: Scalar) => BigInt(daysBetween('1970-01-01', String(date)));

// The infinite dates of PostgreSQL are beyond every day.
const dateBounds = { first: -(10n ** 9n), last: 10n ** 9n };

/** Types whose values are whole numbers, in the same order. */
const numbers: Partial<Record<ColumnType, { of: (value: Scalar) => bigint; bounds: { first: bigint; last: bigint } }>> =
  {
    bigint: { of: (value) => BigInt(value), bounds: { first: -(2n ** 63n), last: 2n ** 63n - 1n } },
    date: { of: dayOf, bounds: dateBounds },
    // PostgreSQL keeps microseconds.
    timestamptz: {
      of: (instant) => 1000n * BigInt(Date.parse(String(instant))),
      bounds: { first: -(10n ** 20n), last: 10n ** 20n },
    },
  };

const isIntervals = (set: ValueSet): set is Intervals => Array.isArray(set);

function sizeOf(set: ValueSet): number {
  return isIntervals(set) ? set.length : set.size;
}

function isEmpty(set: ValueSet): boolean {
  return sizeOf(set) === 0;
}

function inBoth(left: ValueSet, right: ValueSet): ValueSet {
  if (isIntervals(left) && isIntervals(right)) return intersection(left, right);
  // Conditions of one column have one type.
  return new Set([...(left as ReadonlySet<Scalar>)].filter((value) => (right as ReadonlySet<Scalar>).has(value)));
}

function withoutValues(left: ValueSet, right: ValueSet): ValueSet {
  if (isIntervals(left) && isIntervals(right)) return difference(left, right);
  return new Set([...(left as ReadonlySet<Scalar>)].filter((value) => !(right as ReadonlySet<Scalar>).has(value)));
}
