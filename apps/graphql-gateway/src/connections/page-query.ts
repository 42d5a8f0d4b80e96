// The one SQL statement of a page: keyset paging over any list of sort keys, nulls last in both directions, ties by id.
// After a cursor, "everything behind it" is the union of disjoint ranges, each in index order and each cut at the page
// size; a single row comparison could not use the indexes, because nulls sort last in both directions.
import type { Statement } from '../data-store/data-store.js';
import { dayBlock } from '../data-tables/day-block.js';
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

/** The days of a column that hold all a filter can find; without a bound, from the first or to the last there is. */
export interface DayRange {
  column: string;
  first?: string;
  last?: string;
}

/**
 * `ordered`: PostgreSQL may walk an index in the order of the page. `narrow`: few records match, so they are found first and
 * sorted then. A `DayRange`: the page is put together from the first records of each block of its days, which an index holds
 * in the order of the one sort key, another date (data-tables/0006); the rows of the page alone are read from the table.
 */
export type PageForm = 'ordered' | 'narrow' | DayRange;

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

/** A condition that leaves no gap and no overlap with the others of a page. */
interface Part {
  condition: string;
  /** Whether its records have a value of the first key, or none of them has. */
  hasValue: boolean;
}

/** Looking at blocks without a record costs less than finding out which blocks have one, up to this many years. */
const yearsPlain = 20;
const idKey: SortKey = { column: 'id', type: 'bigint', direction: 'asc', isNullable: false };

/** All keys that decide the order; an explicit sort by id ends the list. */
export function orderKeys(sort: readonly SortKey[]): readonly SortKey[] {
  return sort.some((key) => key.column === 'id') ? sort : [...sort, idKey];
}

/** Columns of a page's rows in their order: those that are wanted, then what the cursor needs besides. */
export function pageColumns(columns: readonly string[], sort: readonly SortKey[]): readonly string[] {
  return [...new Set([...columns, ...orderKeys(sort).map((key) => key.column)])];
}

export function pageStatement(query: PageQuery): Statement {
  const { table, where, sort, after, limit, form = 'ordered' } = query;
  const keys = orderKeys(sort);
  const values: unknown[] = [...where.params];
  const parameter = (value: unknown, type: string) => `$${values.push(value)}::${type}`;
  const columns = listed(pageColumns(query.columns, sort));
  const order = (alias: string) => keys.map((key) => orderOf(key, alias)).join(', ');
  const placeholders =
    after && keys.map((key, index) => (after[index] === null ? null : parameter(after[index], key.type)));
  const parts = placeholders && behind(keys, placeholders);

  if (form === 'narrow') {
    // OFFSET 0 is a fence: what matches is found in the cheapest way, whatever the order of the page is.
    const found = `select ${columns} from ${table} t where ${where.sql} offset 0`;
    const rest = parts ? ` where (${parts.map(({ condition }) => condition).join(') or (')})` : '';
    return { text: `select ${columns} from (${found}) t${rest} order by ${order('t')} limit ${limit}`, values };
  }
  if (form !== 'ordered') {
    const blocks = blocksOf(table, form, (day) => parameter(day, 'date'));
    const [key] = keys;
    const heads = (parts ?? startOf(key!)).map(
      ({ condition, hasValue }) =>
        `(select ${listed(keys.map(({ column }) => column))} from ${table} t
          where ${dayBlock(`t.${form.column}`)} = block and ${where.sql} and ${condition}
          order by ${blockOrderOf(key!, hasValue)}, t.id limit ${limit})`,
    );
    const page = `select t.* from ${blocks} block, lateral (${heads.join(' union all ')}) t order by ${order('t')} limit ${limit}`;
    return {
      text: `select ${columns} from (${page}) p join ${table} t on t.id = p.id order by ${order('t')}`,
      values,
    };
  }
  const branch = (condition: string) =>
    `select ${columns} from ${table} t where ${where.sql}${condition} order by ${order('t')} limit ${limit}`;
  if (!parts) return { text: branch(''), values };
  const branches = parts.map(({ condition }) => branch(` and ${condition}`));
  if (branches.length === 1) return { text: branches[0]!, values };
  const union = branches.map((each) => `(${each})`).join(' union all ');
  return { text: `select * from (${union}) p order by ${order('p')} limit ${limit}`, values };
}

/** All records, parted where the order of an index of blocks cannot be followed through. */
function startOf(key: SortKey): Part[] {
  if (key.direction === 'desc') return [{ condition: 'true', hasValue: true }];
  return [
    { condition: `t.${key.column} is not null`, hasValue: true },
    { condition: `t.${key.column} is null`, hasValue: false },
  ];
}

/** Disjoint conditions that together hold for exactly the records behind the position. */
function behind(keys: readonly SortKey[], position: readonly (string | null)[]): Part[] {
  const parts: Part[] = [];
  const equal: string[] = [];
  for (const [index, key] of keys.entries()) {
    const column = `t.${key.column}`;
    const value = position[index];
    if (value !== null) {
      const hasValue = index === 0 || position[0] !== null;
      const further = `${column} ${key.direction === 'asc' ? '>' : '<'} ${value}`;
      parts.push({ condition: [...equal, further].join(' and '), hasValue });
      if (key.isNullable) {
        parts.push({ condition: [...equal, `${column} is null`].join(' and '), hasValue: hasValue && index > 0 });
      }
      equal.push(`${column} = ${value}`);
    } else {
      equal.push(`${column} is null`);
    }
  }
  return parts;
}

/** The blocks of the range; of a long one those alone that the table has days of. */
function blocksOf(table: string, { column, first, last }: DayRange, parameter: (day: string) => string): string {
  const isLong = !first || !last || Number(last.slice(0, 4)) - Number(first.slice(0, 4)) > yearsPlain;
  const end = (day: string | undefined, extreme: 'min' | 'max', nearer: 'greatest' | 'least') => {
    const known = `(select ${extreme}(${column}) from ${table})`;
    if (!day) return known;
    return isLong ? `${nearer}(${parameter(day)}, ${known})` : parameter(day);
  };
  return `generate_series(${dayBlock(end(first, 'min', 'greatest'))}, ${dayBlock(end(last, 'max', 'least'))})`;
}

/** The order within a block, said as its index has it read forwards or, ascending, backwards. */
function blockOrderOf(key: SortKey, hasValue: boolean): string {
  const isBackwards = key.direction === 'asc' && hasValue;
  return `t.${key.column} ${isBackwards ? 'asc nulls first' : 'desc nulls last'}`;
}

function listed(columns: readonly string[]): string {
  return columns.map((name) => `t.${name}`).join(', ');
}

/** Columns that are never null leave the nulls to the default, so that the order is that of their plain index. */
function orderOf(key: SortKey, alias: string): string {
  return `${alias}.${key.column} ${key.direction}${key.isNullable ? ' nulls last' : ''}`;
}
