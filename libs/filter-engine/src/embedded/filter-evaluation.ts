// Evaluates one filter of libs/filters over an index. The meaning is that of compile-filter.ts; a null column satisfies
// only negated conditions.
import type { ColumnType, Condition, DealStatus, NormalisedFilter, Range, Scalar } from '@tradewind/filters';
import { andInto, andNotInto, type Bits, clearBit, countBits, isEmpty, orInto, setBit, setRange } from './bits.js';
import type { ColumnIndex } from './column-index.js';
import { integerOrText } from './column-values.js';
import type { RecordIndex } from './record-index.js';
import { stepsOfLookup, stepsOfRow, type WorkLimit } from './work-limit.js';

/** The rows that satisfy a filter. */
export interface Selection {
  bits: Bits;
  count: number;
}

/**
 * Only for filters that `isAnswerable`.
 * @param except positions of rows to leave out
 * @throws TooCostly
 */
export function select(
  index: RecordIndex,
  filter: NormalisedFilter,
  except: readonly ArrayLike<number>[],
  work: WorkLimit,
): Selection {
  return new Evaluation(index, work, filter.today).select(filter.conditions, except);
}

class Evaluation {
  constructor(
    private readonly index: RecordIndex,
    private readonly work: WorkLimit,
    private readonly today: string,
  ) {}

  select(conditions: readonly Condition[], except: readonly ArrayLike<number>[]): Selection {
    const { wordCount } = this.index;
    // The rows, their number, and the selection that is kept.
    this.work.spend(3 * wordCount + except.reduce((sum, { length }) => sum + length, 0) * stepsOfRow);
    const bits = this.index.takeBits();
    const [first, ...others] = conditions;
    if (!first) this.addAll(bits);
    else if (this.addRows(first, bits)) this.invert(bits);
    for (const condition of others) {
      if (isEmpty(bits)) break;
      this.keepRows(condition, bits);
    }
    for (const each of except) for (let place = 0; place < each.length; place++) clearBit(bits, each[place]!);
    return { bits, count: countBits(bits) };
  }

  /** Leaves the rows that satisfy a condition. */
  private keepRows(condition: Condition, bits: Bits): void {
    const keep = (found: Bits, isNegated: boolean) => (isNegated ? andNotInto : andInto)(bits, found);
    const stored = this.storedRows(condition);
    if (stored) {
      this.work.spend(this.index.wordCount);
      keep(stored.rows, stored.isNegated);
    } else this.withScratch((found) => keep(found, this.addRows(condition, found)));
  }

  /** The set of a condition that the index holds as it is: the rows of one value that very many rows have. */
  private storedRows(condition: Condition): { rows: Bits; isNegated: boolean } | undefined {
    if ((condition.op !== 'in' && condition.op !== 'overlaps') || condition.values.length !== 1) return undefined;
    if (condition.column === 'id') return undefined;
    const column = this.index.column(condition.column);
    const key = column.findKey(integerOrText(condition.type, condition.values[0]!), this.work);
    const rows = key === undefined ? undefined : column.denseRows(key);
    return rows && { rows, isNegated: condition.isNegated };
  }

  /** Adds the rows of a condition, or, if it answers true, those that do not satisfy it. `bits` are empty. */
  private addRows(condition: Condition, bits: Bits): boolean {
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
        if (groups.length === 0) this.addAll(bits);
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
          if (phrases.length === 0) this.addAll(bits);
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
        this.addStatus(condition, bits);
        return false;
      case 'either':
        for (const each of condition.conditions) {
          this.withScratch((found) => {
            if (this.addRows(each, found)) this.invert(found);
            orInto(bits, found);
          });
        }
        return false;
    }
  }

  private addValue(name: string, value: bigint | string, bits: Bits): void {
    if (name === 'id') {
      this.work.spend(stepsOfLookup);
      const position = this.index.findPosition(value as bigint);
      if (position !== undefined) setBit(bits, position);
      return;
    }
    const column = this.index.column(name);
    const key = column.findKey(value, this.work);
    if (key !== undefined) column.addKey(key, bits, this.work);
  }

  private addRange(name: string, type: ColumnType, { min, max }: Range, bits: Bits): void {
    const valueOf = (value: Scalar) => integerOrText(type, value);
    if (name === 'id') {
      const { index } = this;
      this.work.spend(2 * stepsOfLookup + index.wordCount);
      const firstFrom = (value: bigint, isInclusive: boolean) => index.positionOf(isInclusive ? value : value + 1n);
      const from = min ? firstFrom(valueOf(min.value) as bigint, min.isInclusive) : 0;
      const to = max ? firstFrom(valueOf(max.value) as bigint, !max.isInclusive) : index.rowCount;
      setRange(bits, from, to);
      return;
    }
    const column = this.index.column(name);
    const from = min ? column.firstKey(valueOf(min.value), this.work, min.isInclusive) : 0;
    const to = max ? column.firstKey(valueOf(max.value), this.work, !max.isInclusive) : column.keyCount;
    column.addKeys(from, to, bits, this.work);
  }

  /** Adds the rows that have all the words. */
  private addPhrase(name: string, words: readonly string[], bits: Bits): void {
    const { work, index } = this;
    const column = index.column(name);
    const keys: number[] = [];
    for (const word of words) {
      const key = column.findKey(word, work);
      if (key === undefined) return;
      keys.push(key);
    }
    // The rarest first.
    keys.sort((a, b) => column.rowCountOf(a) - column.rowCountOf(b));
    const [rarest, ...others] = keys;
    if (rarest === undefined) this.addAll(bits);
    else if (others.length === 0) column.addKey(rarest, bits, work);
    else if (column.isDense(rarest)) this.addDensePhrase(column, keys, bits);
    else {
      // Most rows of the rarest word lack the next one, so this is the most that it can be.
      const stepsOfOne = others.reduce((sum, key) => sum + column.stepsToFind(key), stepsOfRow);
      work.spend(column.rowCountOf(rarest) * stepsOfOne);
      column.eachRow(rarest, (position) => {
        if (others.every((key) => column.hasRow(key, position))) setBit(bits, position);
      });
    }
  }

  /** All words are in so many rows that they have bits. */
  private addDensePhrase(column: ColumnIndex, keys: readonly number[], bits: Bits): void {
    this.withScratch((found) => {
      for (const [place, key] of keys.entries())
        this.combine(found, place === 0, (one) => column.addKey(key, one, this.work));
      orInto(bits, found);
    });
  }

  /** The last word may be the beginning of one. `bits` are empty. */
  private addUnfinished(column: string, phrase: readonly string[], bits: Bits): void {
    const [from, to] = this.index.column(column).keysFrom(phrase.at(-1)!, this.work);
    this.index.column(column).addKeys(from, to, bits, this.work);
    if (phrase.length > 1) this.combine(bits, false, (found) => this.addPhrase(column, phrase.slice(0, -1), found));
  }

  /** Each deal is one of FUTURE, PAST, ACTIVE. FUTURE is checked first: a deal that ends before it starts is FUTURE. */
  private addStatus({ startColumn, endColumn, statuses }: Condition & { op: 'status' }, bits: Bits): void {
    // Each of the two sets goes into the result at most twice.
    this.work.spend(4 * this.index.wordCount);
    const bound = { value: this.today, isInclusive: false };
    this.withScratch((future) => {
      this.addRange(startColumn, 'date', { min: bound }, future);
      this.withScratch((past) => {
        this.addRange(endColumn, 'date', { max: bound }, past);
        andNotInto(past, future);
        const isWanted = (status: DealStatus) => statuses.includes(status);
        if (isWanted('ACTIVE')) {
          this.addAll(bits);
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
    this.work.spend(this.index.wordCount);
    for (let word = 0; word < bits.length; word++) bits[word] = ~bits[word]!;
    // Positions behind the last row.
    for (let position = this.index.rowCount; position < 32 * bits.length; position++) clearBit(bits, position);
  }

  private addAll(bits: Bits): void {
    this.work.spend(this.index.wordCount);
    setRange(bits, 0, this.index.rowCount);
  }

  private withScratch<T>(use: (bits: Bits) => T): T {
    // It is emptied, and what is found goes into another set.
    this.work.spend(2 * this.index.wordCount);
    return this.index.withScratch(use);
  }
}
