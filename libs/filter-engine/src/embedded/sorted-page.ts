// The first rows of a selection behind a cursor, in the order of any sort keys. Few rows are compared with each other;
// of many, the rows are taken in the order of the first key until the page is full.
import type { CursorPosition, SortKey } from '../filter-engine.port.js';
import { eachPosition, eachPositionDown, hasBit } from './bits.js';
import { type ColumnIndex, noRank } from './column-index.js';
import { integerOrText } from './column-values.js';
import type { Selection } from './filter-evaluation.js';
import type { RecordIndex } from './record-index.js';
import { stepsOfComparison, stepsOfLook, stepsOfRow, stepsOfWalkedRow, type WorkLimit } from './work-limit.js';

interface Key {
  /** Undefined for the id. */
  column: ColumnIndex | undefined;
  isAscending: boolean;
  /** Rank or position of the cursor; a half when it lies between two. */
  cursor: number;
}

/** A walk costs about as much as looking at the rows that match when it visits this many times their number. */
const walkedPerMatch = 1;

/**
 * Ids of the page. The id is the last key.
 * @throws TooCostly
 */
export function sortedPage(
  index: RecordIndex,
  { bits, count }: Selection,
  { sort, after, limit }: { sort: readonly SortKey[]; after: CursorPosition | null; limit: number },
  work: WorkLimit,
): bigint[] {
  const keys = sort.map((key, place): Key => keyOf(index, key, after?.[place] ?? null, work));
  const isBehind = (position: number) => after === null || isAfterCursor(keys, position);
  const page: Page = { index, bits, keys, isBehind, startsBehind: after !== null, limit, work };
  const first = keys[0]!;
  let found: BestRows | undefined;
  if (!first.column) found = byId(page);
  else if (count * count > 4 * limit * index.rowCount) found = walk(page, walkedPerMatch * count);
  found ??= comparedAll(page, count);
  return found.positions.map((position) => index.idAt(position));
}

interface Page {
  index: RecordIndex;
  bits: Selection['bits'];
  keys: readonly Key[];
  /** Whether the row lies behind the cursor. */
  isBehind: (position: number) => boolean;
  startsBehind: boolean;
  limit: number;
  work: WorkLimit;
}

function byId({ index, bits, keys, isBehind, startsBehind, limit, work }: Page): BestRows {
  const { isAscending, cursor } = keys[0]!;
  const found = new BestRows(keys, limit, work);
  work.spend(index.wordCount);
  const visit = (position: number) => {
    if (isBehind(position)) found.add(position);
    return !found.isFull;
  };
  if (isAscending) eachPosition(bits, startsBehind ? Math.ceil(cursor) : 0, visit);
  else eachPositionDown(bits, startsBehind ? Math.floor(cursor) + 1 : index.rowCount, visit);
  return found;
}

function comparedAll({ index, bits, keys, isBehind, limit, work }: Page, count: number): BestRows {
  const found = new BestRows(keys, limit, work);
  work.spend(index.wordCount + count * stepsOfLook);
  eachPosition(bits, 0, (position) => {
    if (found.mayAdd(position) && isBehind(position)) found.add(position);
    return true;
  });
  return found;
}

/** Undefined when the rows that match are so late in the order that the walk is not worth it. */
function walk(page: Page, visitedMax: number): BestRows | undefined {
  const { index, bits, keys, isBehind, startsBehind, limit, work } = page;
  const found = new BestRows(keys, limit, work);
  const { column, isAscending, cursor } = keys[0] as Key & { column: ColumnIndex };
  const step = isAscending ? 1 : -1;
  let key = isAscending ? 0 : column.keyCount - 1;
  if (startsBehind && cursor === noRank) key = column.keyCount;
  else if (startsBehind) key = isAscending ? Math.ceil(cursor) : Math.floor(cursor);
  const visit = (position: number) => {
    if (hasBit(bits, position) && isBehind(position)) found.add(position);
  };
  let visited = 0;
  for (; key >= 0 && key < column.keyCount; key += step) {
    const rows = column.rowCountOf(key);
    visited += 1 + rows;
    if (visited > visitedMax) return undefined;
    work.spend((1 + rows) * stepsOfWalkedRow);
    column.eachRow(key, visit);
    if (found.isFull) return found;
  }
  // Rows without a value come last. In the order of the id alone, the first ones are the page.
  work.spend(index.rowCount * stepsOfRow);
  const isById = keys.length === 2;
  const visitNull = (position: number) => {
    if (column.rankOf(position) === noRank && isBehind(position)) found.add(position);
    return !(isById && found.isFull);
  };
  if (isById && !keys[1]!.isAscending) eachPositionDown(bits, index.rowCount, visitNull);
  else eachPosition(bits, 0, visitNull);
  return found;
}

function keyOf(
  index: RecordIndex,
  { column: name, type, direction }: SortKey,
  value: string | null,
  work: WorkLimit,
): Key {
  const isAscending = direction === 'asc';
  if (name === 'id') {
    const id = BigInt(value ?? 0);
    const position = index.positionOf(id);
    const isThere = position < index.rowCount && index.idAt(position) === id;
    return { column: undefined, isAscending, cursor: isThere ? position : position - 0.5 };
  }
  const column = index.column(name);
  if (value === null) return { column, isAscending, cursor: noRank };
  const wanted = integerOrText(type, value);
  const key = column.findKey(wanted, work);
  return { column, isAscending, cursor: key ?? column.firstKey(wanted, work) - 0.5 };
}

const rankOf = ({ column }: Key, position: number) => (column ? column.rankOf(position) : position);

/** A number that is smaller when a row comes earlier by this key. */
function placeOf(key: Key, position: number): number {
  const rank = rankOf(key, position);
  return key.isAscending || (rank === noRank && key.column) ? rank : -rank;
}

/** Negative when a row of rank `a` comes before one of rank `b`. */
function order({ isAscending, column }: Key, a: number, b: number): number {
  if (a === b) return 0;
  if (column && (a === noRank || b === noRank)) return a === noRank ? 1 : -1;
  return isAscending ? a - b : b - a;
}

function isAfterCursor(keys: readonly Key[], position: number): boolean {
  for (const key of keys) {
    const compared = order(key, rankOf(key, position), key.cursor);
    if (compared !== 0) return compared > 0;
  }
  return false;
}

/** The first rows of all that were added, in order. */
class BestRows {
  readonly positions: number[] = [];
  private readonly first: Key;
  /** That of the last row by the first key, once there are enough: what comes later by it is none of the first. */
  private lastPlace = Infinity;

  constructor(
    private readonly keys: readonly Key[],
    private readonly limit: number,
    private readonly work: WorkLimit,
  ) {
    this.first = keys[0]!;
  }

  /** Most rows of many are refused by their first key. */
  mayAdd(position: number): boolean {
    return placeOf(this.first, position) <= this.lastPlace;
  }

  get isFull(): boolean {
    return this.positions.length === this.limit;
  }

  add(position: number): void {
    const { positions, work } = this;
    const steps = stepsOfComparison * this.keys.length;
    work.spend(steps);
    if (this.isFull && this.compare(position, positions.at(-1)!) > 0) return;
    // A binary search, and moving the rows behind.
    work.spend(steps * Math.ceil(Math.log2(positions.length + 1)) + (positions.length >> 3));
    let low = 0;
    let high = positions.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.compare(positions[middle]!, position) < 0) low = middle + 1;
      else high = middle;
    }
    if (this.isFull) positions.pop();
    positions.splice(low, 0, position);
    if (this.isFull) this.lastPlace = placeOf(this.first, positions.at(-1)!);
  }

  private compare(a: number, b: number): number {
    for (const key of this.keys) {
      const compared = order(key, rankOf(key, a), rankOf(key, b));
      if (compared !== 0) return compared;
    }
    return 0;
  }
}
