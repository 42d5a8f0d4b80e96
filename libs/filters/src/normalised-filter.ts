// The normalised form of a filter: names are ids, ages are days of birth, texts are words. It is what SQL is compiled
// from, what records are evaluated against, and what caches and cursors are keyed by.
import type { DealStatus } from './enumerations.js';
import type { ColumnType, FilterEntity, WholeText } from './filter-fields.js';
import type { Scalar } from './scalars.js';

export interface Bound {
  value: Scalar;
  isInclusive: boolean;
}

/** An interval; a missing bound is open. */
export interface Range {
  min?: Bound;
  max?: Bound;
}

/**
 * One condition. All conditions of a filter hold together.
 * `isNegated` is the exact complement: a null column satisfies the negated condition.
 */
export type Condition = { field: string } & (
  | { op: 'in'; column: string; type: ColumnType; values: readonly Scalar[]; isNegated: boolean }
  | { op: 'inRanges'; column: string; type: ColumnType; ranges: readonly Range[]; isNegated: boolean }
  /** The list shares an element with the values. */
  | {
      op: 'overlaps';
      column: string;
      type: 'bigint' | 'text';
      values: readonly Scalar[];
      isNegated: boolean;
      wordsColumn?: string;
    }
  /** The list has an element of every group (a group holds the ids that one name means). */
  | {
      op: 'containsAll';
      column: string;
      type: 'bigint' | 'text';
      groups: readonly (readonly Scalar[])[];
      wordsColumn?: string;
    }
  /** Some element of the list lies in the range; without bounds: the list is not empty. */
  | { op: 'hasElementIn'; column: string; type: 'bigint' | 'text'; range: Range }
  /**
   * A phrase matches when all its words are there; `any` or `all` of the phrases must match. Of an unfinished phrase,
   * the last word may be the beginning of one.
   */
  | {
      op: 'words';
      column: string;
      phrases: readonly (readonly string[])[];
      match: 'any' | 'all';
      isNegated: boolean;
      isUnfinished?: boolean;
    }
  /** One of the columns holds exactly this normalised text. */
  | { op: 'wholeText'; columns: readonly WholeText[]; value: string; wordsColumn: string }
  | { op: 'status'; startColumn: string; endColumn: string; statuses: readonly DealStatus[] }
  /** At least one of the conditions holds. */
  | { op: 'either'; conditions: readonly Condition[] }
  /** No record can satisfy it: IS_ALL_OF two different values of a single-valued field. */
  | { op: 'nothing' }
);

/** Contacts have filters of their own, which the gateway turns into conditions. */
export type RecordEntity = FilterEntity | 'contact';

export interface NormalisedFilter {
  entity: RecordEntity;
  /** Date `YYYY-MM-DD` (UTC) that deal status is judged by. */
  today: string;
  /** In canonical order, without repeats. */
  conditions: readonly Condition[];
}

/**
 * Stable text of what the filter means: equal for filters that differ only in the order of fields, objects and values.
 * Holds today's date only when the answer depends on it.
 */
export function canonicalKey(filter: NormalisedFilter): string {
  const dependsOnToday = filter.conditions.some((condition) => condition.op === 'status');
  const today = dependsOnToday ? filter.today : null;
  return `[${JSON.stringify(filter.entity)},${JSON.stringify(today)},[${filter.conditions.map(textOf).join(',')}]]`;
}

/** Puts conditions into canonical order and drops repeats. */
export function canonicalOrder(conditions: readonly Condition[]): Condition[] {
  if (conditions.length < 2) return [...conditions];
  const byText = new Map(conditions.map((condition) => [textOf(condition), condition]));
  return [...byText].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, condition]) => condition);
}

// Order and key of a filter need the same texts.
const texts = new WeakMap<Condition, string>();

function textOf(condition: Condition): string {
  let text = texts.get(condition);
  if (text === undefined) texts.set(condition, (text = stableText(condition)));
  return text;
}

/** JSON with sorted keys; big integers as `{"int": "..."}`, so that no text equals a number. */
function stableText(value: unknown): string {
  if (typeof value === 'bigint') return `{"int":"${value}"}`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(stableText).join(',')}]`;
  const parts = value as Readonly<Record<string, unknown>>;
  let text = '';
  for (const key of Object.keys(value).sort()) {
    const part = parts[key];
    // Keys are names of this program: nothing in them needs escaping.
    if (part !== undefined) text += `${text && ','}"${key}":${stableText(part)}`;
  }
  return `{${text}}`;
}
