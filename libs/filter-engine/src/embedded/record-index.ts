// Evaluates the filters of libs/filters over the rows of one entity as they were at one moment. Nothing changes after
// the build. The meaning is that of compile-filter.ts; a null column satisfies only negated conditions.
import type { ColumnType, Condition, DealStatus, NormalisedFilter, Range, Scalar } from '@tradewind/filters';
import { dayNumber } from '@tradewind/filters';
import type { Entity } from '../filter-engine.port.js';
import { andInto, andNotInto, type Bits, clearBit, countBits, orInto, setBit, setRange, wordsFor } from './bits.js';
import { ColumnIndex, type ColumnParts } from './column-index.js';
import { indexedColumns } from './columns.js';

/** What a build hands over; its buffers can be transferred between threads. */
export interface IndexParts {
  /** Ascending; the place of an id is the position of its row. */
  ids: BigInt64Array;
  columns: Record<string, ColumnParts>;
}

/** The rows that satisfy a filter. */
export interface Selection {
  bits: Bits;
  count: number;
}

/** A filter, a condition of `either`, and a status need one each. */
const scratchesKept = 6;

export class RecordIndex {
  readonly rowCount: number;
  private readonly columns = new Map<string, ColumnIndex>();
  /** For work that ends before the next begins. */
  private readonly scratches: Bits[] = [];

  constructor(
    readonly entity: Entity,
    private readonly parts: IndexParts,
  ) {
    this.rowCount = parts.ids.length;
    for (const [name, each] of Object.entries(parts.columns))
      this.columns.set(name, new ColumnIndex(each, this.rowCount));
  }

  idAt(position: number): bigint {
    return this.parts.ids[position]!;
  }

  /** Position of the first row with this id or a higher one. */
  positionOf(id: bigint): number {
    const { ids } = this.parts;
    let low = 0;
    let high = ids.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (ids[middle]! < id) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  column(name: string): ColumnIndex {
    return this.columns.get(name)!;
  }

  /** Only for filters that `isAnswerable`. `except` are ids. */
  select({ conditions, today }: NormalisedFilter, except: readonly bigint[]): Selection {
    const bits: Bits = new Int32Array(wordsFor(this.rowCount));
    setRange(bits, 0, this.rowCount);
    for (const condition of conditions) {
      this.withScratch((found) => {
        const isNegated = this.addRows(condition, today, found);
        if (isNegated) andNotInto(bits, found);
        else andInto(bits, found);
      });
    }
    for (const id of except) {
      const position = this.positionOf(id);
      if (position < this.rowCount && this.idAt(position) === id) clearBit(bits, position);
    }
    return { bits, count: countBits(bits) };
  }

  /** Adds the rows of a condition, or, if it answers true, those that do not satisfy it. `bits` are empty. */
  private addRows(condition: Condition, today: string, bits: Bits): boolean {
    switch (condition.op) {
      case 'nothing':
        return false;
      case 'in':
        for (const value of condition.values)
          this.addValue(condition.column, integerOrText(condition.type, value), bits);
        return condition.isNegated;
      case 'inRanges':
        for (const range of condition.ranges) this.addRange(condition.column, condition.type, range, bits);
        return condition.isNegated;
      case 'overlaps':
        for (const value of condition.values)
          this.addValue(condition.column, integerOrText(condition.type, value), bits);
        return condition.isNegated;
      case 'containsAll': {
        const { column, type, groups } = condition;
        for (const [place, group] of groups.entries()) {
          this.combine(bits, place === 0, (found) => {
            for (const value of group) this.addValue(column, integerOrText(type, value), found);
          });
        }
        if (groups.length === 0) setRange(bits, 0, this.rowCount);
        return false;
      }
      case 'hasElementIn':
        this.addRange(condition.column, condition.type, condition.range, bits);
        return false;
      case 'words': {
        const { column, phrases, match, isUnfinished = false } = condition;
        if (match === 'all' && !isUnfinished) {
          this.addPhrase(column, [...new Set(phrases.flat())], bits);
        } else if (match === 'all') {
          for (const [place, phrase] of phrases.entries())
            this.combine(bits, place === 0, (found) => this.addUnfinished(column, phrase, found));
          if (phrases.length === 0) setRange(bits, 0, this.rowCount);
        } else {
          for (const phrase of phrases) {
            if (isUnfinished)
              this.withScratch((found) => (this.addUnfinished(column, phrase, found), orInto(bits, found)));
            else this.addPhrase(column, phrase, bits);
          }
        }
        return condition.isNegated;
      }
      case 'wholeText':
        for (const { column } of condition.columns) this.addValue(column, condition.value, bits);
        return false;
      case 'status':
        this.addStatus(condition, today, bits);
        return false;
      case 'either':
        for (const each of condition.conditions) {
          this.withScratch((found) => {
            if (this.addRows(each, today, found)) this.invert(found);
            orInto(bits, found);
          });
        }
        return false;
    }
  }

  private addValue(column: string, value: bigint | string, bits: Bits): void {
    if (column === 'id') {
      const position = this.positionOf(value as bigint);
      if (position < this.rowCount && this.idAt(position) === value) setBit(bits, position);
      return;
    }
    const index = this.column(column);
    const key = index.findKey(value);
    if (key !== undefined) index.addKey(key, bits);
  }

  private addRange(column: string, type: ColumnType, { min, max }: Range, bits: Bits): void {
    const valueOf = (value: Scalar) => integerOrText(type, value);
    if (column === 'id') {
      const firstFrom = (value: bigint, isInclusive: boolean) => this.positionOf(isInclusive ? value : value + 1n);
      const from = min ? firstFrom(valueOf(min.value) as bigint, min.isInclusive) : 0;
      const to = max ? firstFrom(valueOf(max.value) as bigint, !max.isInclusive) : this.rowCount;
      setRange(bits, from, to);
      return;
    }
    const index = this.column(column);
    const from = min ? index.firstKey(valueOf(min.value), min.isInclusive) : 0;
    const to = max ? index.firstKey(valueOf(max.value), !max.isInclusive) : index.keyCount;
    index.addKeys(from, to, bits);
  }

  /** Adds the rows that have all the words. */
  private addPhrase(column: string, words: readonly string[], bits: Bits): void {
    const index = this.column(column);
    const keys: number[] = [];
    for (const word of words) {
      const key = index.findKey(word);
      if (key === undefined) return;
      keys.push(key);
    }
    // The rarest first.
    keys.sort((a, b) => index.rowCountOf(a) - index.rowCountOf(b));
    const [rarest, ...others] = keys;
    if (rarest === undefined) setRange(bits, 0, this.rowCount);
    else if (others.length === 0) index.addKey(rarest, bits);
    else if (index.isDense(rarest)) {
      this.withScratch((found) => {
        for (const [place, key] of keys.entries()) this.combine(found, place === 0, (one) => index.addKey(key, one));
        orInto(bits, found);
      });
    } else {
      for (const position of index.rowsOf(rarest)) {
        if (others.every((key) => index.hasRow(key, position))) setBit(bits, position);
      }
    }
  }

  /** The last word may be the beginning of one. `bits` are empty. */
  private addUnfinished(column: string, phrase: readonly string[], bits: Bits): void {
    const index = this.column(column);
    const [from, to] = index.keysFrom(phrase.at(-1)!);
    index.addKeys(from, to, bits);
    if (phrase.length > 1) this.combine(bits, false, (found) => this.addPhrase(column, phrase.slice(0, -1), found));
  }

  /** Each deal is one of FUTURE, PAST, ACTIVE. FUTURE is checked first: a deal that ends before it starts is FUTURE. */
  private addStatus(
    { startColumn, endColumn, statuses }: Condition & { op: 'status' },
    today: string,
    bits: Bits,
  ): void {
    const bound = { value: today, isInclusive: false };
    this.withScratch((future) => {
      this.addRange(startColumn, 'date', { min: bound }, future);
      this.withScratch((past) => {
        this.addRange(endColumn, 'date', { max: bound }, past);
        andNotInto(past, future);
        const isWanted = (status: DealStatus) => statuses.includes(status);
        if (isWanted('ACTIVE')) {
          setRange(bits, 0, this.rowCount);
          if (!isWanted('FUTURE')) andNotInto(bits, future);
          if (!isWanted('PAST')) andNotInto(bits, past);
        } else {
          if (isWanted('FUTURE')) orInto(bits, future);
          if (isWanted('PAST')) orInto(bits, past);
        }
      });
    });
  }

  /** Leaves the rows that `add` finds, too; of the first ones, all. */
  private combine(bits: Bits, isFirst: boolean, add: (found: Bits) => void): void {
    if (isFirst) {
      add(bits);
      return;
    }
    this.withScratch((found) => {
      add(found);
      andInto(bits, found);
    });
  }

  private invert(bits: Bits): void {
    for (let word = 0; word < bits.length; word++) bits[word] = ~bits[word]!;
    // Positions behind the last row.
    for (let position = this.rowCount; position < 32 * bits.length; position++) clearBit(bits, position);
  }

  private withScratch(work: (bits: Bits) => void): void {
    const bits = this.scratches.pop()?.fill(0) ?? new Int32Array(wordsFor(this.rowCount));
    work(bits);
    if (this.scratches.length < scratchesKept) this.scratches.push(bits);
  }
}

const namesOf = (entity: Entity): ReadonlySet<string> => new Set(indexedColumns[entity].map(({ column }) => column));

const columnNames: Record<Entity, ReadonlySet<string>> = {
  company: namesOf('company'),
  person: namesOf('person'),
  deal: namesOf('deal'),
  contact: namesOf('contact'),
};

/** Values and phrases of one filter; more could keep the event loop busy for too long. */
const valuesMax = 2_000;

/** Whether the index holds all columns of the filter, and the filter is small enough. */
export function isAnswerable({ entity, conditions }: NormalisedFilter): boolean {
  const names = columnNames[entity];
  const isKnown = (column: string) => column === 'id' || names.has(column);
  let values = 0;
  const isHeld = (condition: Condition): boolean => {
    switch (condition.op) {
      case 'nothing':
        return true;
      case 'in':
      case 'overlaps':
        values += condition.values.length;
        return isKnown(condition.column);
      case 'inRanges':
        values += condition.ranges.length;
        return isKnown(condition.column);
      case 'containsAll':
        values += condition.groups.reduce((sum, group) => sum + group.length, 0);
        return isKnown(condition.column);
      case 'hasElementIn':
        values += 1;
        return isKnown(condition.column);
      case 'words':
        values += condition.phrases.reduce((sum, phrase) => sum + phrase.length, 0);
        return isKnown(condition.column);
      case 'wholeText':
        values += 1;
        return condition.columns.every(({ column }) => isKnown(column));
      case 'status':
        return isKnown(condition.startColumn) && isKnown(condition.endColumn);
      case 'either':
        return condition.conditions.every(isHeld);
    }
  };
  return conditions.every(isHeld) && values <= valuesMax;
}

/** The value as its column holds it. */
export function integerOrText(type: ColumnType, value: Scalar): bigint | string {
  switch (type) {
    case 'bigint':
      return BigInt(value);
    case 'boolean':
      return value === true ? 1n : 0n;
    case 'date':
      return BigInt(dayNumber(String(value)));
    case 'timestamptz':
      return 1000n * BigInt(Date.parse(String(value)));
    case 'text':
    case 'uuid':
      return String(value);
  }
}
