// The first rows of a selection behind a cursor, in the order of any sort keys. Few rows are compared with each other;
// of many, the rows are taken in the order of the first key until the page is full.
import type { CursorPosition, SortKey } from '../filter-engine.port.js';
import { eachPosition, eachPositionDown, hasBit } from './bits.js';
import { type ColumnIndex, noRank } from './column-index.js';
import { integerOrText, type RecordIndex, type Selection } from './record-index.js';

interface Key {
  /** Undefined for the id. */
  column: ColumnIndex | undefined;
  isAscending: boolean;
  /** Rank or position of the cursor; a half when it lies between two. */
  cursor: number;
}

/** Ids of the page. The id is the last key. */
export function sortedPage(
  index: RecordIndex,
  { bits, count }: Selection,
  { sort, after, limit }: { sort: readonly SortKey[]; after: CursorPosition | null; limit: number },
): bigint[] {
  const keys = sort.map((key, place): Key => keyOf(index, key, after?.[place] ?? null));
  const isBehind = (position: number) => after === null || isAfterCursor(keys, position);
  const first = keys[0]!;
  const found = new BestRows(keys, limit);
  if (!first.column) {
    const { isAscending, cursor } = first;
    const visit = (position: number) => {
      if (isBehind(position)) found.add(position);
      return !found.isFull;
    };
    if (isAscending) eachPosition(bits, after ? Math.ceil(cursor) : 0, visit);
    else eachPositionDown(bits, after ? Math.floor(cursor) + 1 : index.rowCount, visit);
  } else if (count * count <= 4 * limit * index.rowCount) {
    eachPosition(bits, 0, (position) => {
      if (isBehind(position)) found.add(position);
      return true;
    });
  } else {
    walk({ first, found, isBehind, bits, startsBehind: after !== null });
  }
  return found.positions.map((position) => index.idAt(position));
}

function walk({
  first,
  found,
  isBehind,
  bits,
  startsBehind,
}: {
  first: Key;
  found: BestRows;
  isBehind: (position: number) => boolean;
  bits: Selection['bits'];
  startsBehind: boolean;
}): void {
  const column = first.column!;
  const { isAscending, cursor } = first;
  const step = isAscending ? 1 : -1;
  let key = isAscending ? 0 : column.keyCount - 1;
  if (startsBehind && cursor === noRank) key = column.keyCount;
  else if (startsBehind) key = isAscending ? Math.ceil(cursor) : Math.floor(cursor);
  for (; key >= 0 && key < column.keyCount; key += step) {
    for (const position of column.rowsOf(key)) {
      if (hasBit(bits, position) && isBehind(position)) found.add(position);
    }
    if (found.isFull) return;
  }
  // Rows without a value come last.
  eachPosition(bits, 0, (position) => {
    if (column.rankOf(position) === noRank && isBehind(position)) found.add(position);
    return true;
  });
}

function keyOf(index: RecordIndex, { column: name, type, direction }: SortKey, value: string | null): Key {
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
  const key = column.findKey(wanted);
  return { column, isAscending, cursor: key ?? column.firstKey(wanted) - 0.5 };
}

const rankOf = ({ column }: Key, position: number) => (column ? column.rankOf(position) : position);

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

  constructor(
    private readonly keys: readonly Key[],
    private readonly limit: number,
  ) {}

  get isFull(): boolean {
    return this.positions.length === this.limit;
  }

  add(position: number): void {
    const { positions } = this;
    if (this.isFull && this.compare(position, positions.at(-1)!) > 0) return;
    let low = 0;
    let high = positions.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.compare(positions[middle]!, position) < 0) low = middle + 1;
      else high = middle;
    }
    if (this.isFull) positions.pop();
    positions.splice(low, 0, position);
  }

  private compare(a: number, b: number): number {
    for (const key of this.keys) {
      const compared = order(key, rankOf(key, a), rankOf(key, b));
      if (compared !== 0) return compared;
    }
    return 0;
  }
}
