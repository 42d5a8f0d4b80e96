// The one SQL statement of a page: keyset paging over any list of sort keys, nulls last in both directions, ties by id.
// After a cursor, "everything behind it" is the union of disjoint ranges, each in index order and each cut at the page
// size; a single row comparison could not use the indexes, because nulls sort last in both directions.
import type { Statement } from '../data-store/data-store.js';
import type { CursorKey, CursorPosition } from './page-cursor.js';

export interface SortKey extends CursorKey {
  column: string;
  direction: 'asc' | 'desc';
}

export interface Condition {
  /** Over alias `t`, with parameters from $1. */
  sql: string;
  params: readonly unknown[];
}

export interface PageQuery {
  table: string;
  columns: readonly string[];
  where: Condition;
  /** Without the id, which is always the last key. */
  sort: readonly SortKey[];
  after: CursorPosition | null;
  limit: number;
}

const idKey: SortKey = { column: 'id', type: 'bigint', direction: 'asc', isNullable: false };

/** All keys that decide the order; an explicit sort by id ends the list. */
export function orderKeys(sort: readonly SortKey[]): readonly SortKey[] {
  return sort.some((key) => key.column === 'id') ? sort : [...sort, idKey];
}

export function pageStatement({ table, columns, where, sort, after, limit }: PageQuery): Statement {
  const keys = orderKeys(sort);
  const values: unknown[] = [...where.params];
  const parameter = (value: unknown, type: string) => `$${values.push(value)}::${type}`;
  const selected = [...new Set([...columns, ...keys.map((key) => key.column)])];
  const order = (alias: string) => keys.map((key) => orderOf(key, alias)).join(', ');
  const branch = (condition: string) =>
    `select ${selected.map((column) => `t.${column}`).join(', ')} from ${table} t where ${where.sql}${condition} order by ${order('t')} limit ${limit}`;
  if (after === null) return { text: branch(''), values };

  const placeholders = keys.map((key, index) => (after[index] === null ? null : parameter(after[index], key.type)));
  const branches = behind(keys, placeholders).map((condition) => branch(` and ${condition}`));
  if (branches.length === 1) return { text: branches[0]!, values };
  const union = branches.map((each) => `(${each})`).join(' union all ');
  return { text: `select * from (${union}) p order by ${order('p')} limit ${limit}`, values };
}

/** Disjoint conditions that together hold for exactly the records behind the position. */
function behind(keys: readonly SortKey[], position: readonly (string | null)[]): string[] {
  const conditions: string[] = [];
  const equal: string[] = [];
  for (const [index, key] of keys.entries()) {
    const column = `t.${key.column}`;
    const value = position[index];
    if (value !== null) {
      conditions.push([...equal, `${column} ${key.direction === 'asc' ? '>' : '<'} ${value}`].join(' and '));
      if (key.isNullable) conditions.push([...equal, `${column} is null`].join(' and '));
      equal.push(`${column} = ${value}`);
    } else {
      equal.push(`${column} is null`);
    }
  }
  return conditions;
}

/** Columns that are never null leave the nulls to the default, so that the order is that of their plain index. */
function orderOf(key: SortKey, alias: string): string {
  return `${alias}.${key.column} ${key.direction}${key.isNullable ? ' nulls last' : ''}`;
}
