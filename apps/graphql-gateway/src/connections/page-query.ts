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

/**
 * `ordered`: PostgreSQL may walk an index in the order of the page. `narrow`: few records match, so they are found first and
 * sorted then. `covered`: an index holds all that filter and order need; the rows of the page alone are read from the table.
 */
export type PageForm = 'ordered' | 'narrow' | 'covered';

export interface PageQuery {
  table: string;
  columns: readonly string[];
  where: Condition;
  /** Without the id, which is always the last key. */
  sort: readonly SortKey[];
  after: CursorPosition | null;
  limit: number;
  /** `ordered` unless given. The answer is the same. */
  form?: PageForm;
}

const idKey: SortKey = { column: 'id', type: 'bigint', direction: 'asc', isNullable: false };

/** All keys that decide the order; an explicit sort by id ends the list. */
export function orderKeys(sort: readonly SortKey[]): readonly SortKey[] {
  return sort.some((key) => key.column === 'id') ? sort : [...sort, idKey];
}

/** Columns of a page's rows in their order: those that are wanted, then what the cursor needs besides. */
export function pageColumns(columns: readonly string[], sort: readonly SortKey[]): readonly string[] {
  return [...new Set([...columns, ...orderKeys(sort).map((key) => key.column)])];
}

export function pageStatement({ table, columns, where, sort, after, limit, form = 'ordered' }: PageQuery): Statement {
  const keys = orderKeys(sort);
  const values: unknown[] = [...where.params];
  const parameter = (value: unknown, type: string) => `$${values.push(value)}::${type}`;
  const selected = pageColumns(columns, sort);
  const listed = (names: readonly string[]) => names.map((name) => `t.${name}`).join(', ');
  const order = (alias: string) => keys.map((key) => orderOf(key, alias)).join(', ');
  const placeholders =
    after && keys.map((key, index) => (after[index] === null ? null : parameter(after[index], key.type)));
  const ranges = placeholders && behind(keys, placeholders);
  if (form !== 'ordered') {
    // OFFSET 0 is a fence: what matches is found in the cheapest way, whatever the order of the page is.
    const read = form === 'covered' ? keys.map((key) => key.column) : selected;
    const found = `select ${listed(read)} from ${table} t where ${where.sql} offset 0`;
    const rest = ranges ? ` where (${ranges.join(') or (')})` : '';
    const page = `select ${listed(read)} from (${found}) t${rest} order by ${order('t')} limit ${limit}`;
    if (form === 'narrow') return { text: page, values };
    return {
      text: `select ${listed(selected)} from (${page}) p join ${table} t on t.id = p.id order by ${order('t')}`,
      values,
    };
  }
  const branch = (condition: string) =>
    `select ${listed(selected)} from ${table} t where ${where.sql}${condition} order by ${order('t')} limit ${limit}`;
  if (!ranges) return { text: branch(''), values };
  const branches = ranges.map((condition) => branch(` and ${condition}`));
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
