// The one SQL statement of a page: keyset paging over any list of sort keys, nulls last in both directions, ties by id.
// The records after a cursor are the union of disjoint ranges, each in index order and each cut at the page size. One
// row comparison could not use the indexes, because nulls sort last in both directions.
import type { Statement } from '../data-store/data-store.js';
import { dayBlock } from '../data-tables/day-block.js';
import type { CursorPosition } from './page-cursor.js';
import { orderKeys, pageColumns, type SortKey } from './page-order.js';

export interface Condition {
  /** Over alias `t`, with parameters from $1. */
  sql: string;
  params: readonly unknown[];
}

/**
 * At most this many records are read in the order of the page. If they do not fill it, few records match. The indexes
 * of the condition then find all matching records, which are sorted.
 */
export interface Narrow {
  walkedMax: number;
}

/** No matching record has a first key before this value, but the key may be null. */
export interface OrderedFrom {
  from: string;
}

/**
 * The page is combined from the first records of each block of days of a column. An index holds each block in the order
 * of the sort key, another date (data-tables/0006 and 0008). The table is read only for the rows of the page. All
 * records that the filter can find lie within these days. A missing bound means the first or last day of the table.
 */
export interface DayRange {
  column: string;
  first?: string;
  last?: string;
  /** Whether the filter can find records without a day. */
  orUnknown?: boolean;
}

/** `ordered` leaves the plan to PostgreSQL. The rows are the same in every form. */
export type PageForm = 'ordered' | OrderedFrom | Narrow | DayRange;

export interface PageQuery {
  table: string;
  columns: readonly string[];
  where: Condition;
  /** Without the id, which is always the last key. */
  sort: readonly SortKey[];
  after: CursorPosition | null;
  limit: number;
  form: PageForm;
}

/** A condition that leaves no gap and no overlap with the others of a page. */
interface Part {
  condition: string;
  /** Whether its records have a value of the first key, or none of them has. */
  hasValue: boolean;
}

const everything: Part = { condition: 'true', hasValue: true };
export function pageStatement({ form, ...query }: PageQuery): Statement {
  const values = [...query.where.params];
  const parameter = (value: unknown, type: string) => `$${values.push(value)}::${type}`;
  const keys = orderKeys(query.sort);
  const page: Page = {
    table: query.table,
    where: query.where.sql,
    limit: query.limit,
    keys,
    columns: listed(pageColumns(query.columns, query.sort)),
    behind: query.after && behind(keys, query.after, parameter),
    parameter,
  };
  if (form === 'ordered') return { text: ordered(page, page.behind ?? [everything]), values };
  if ('from' in form) return { text: ordered(page, page.behind ?? startingAt(page, form.from)), values };
  if ('walkedMax' in form) {
    // With one value, the words or elements asked for, the best plan is the same for all.
    return { text: narrow(page, form), values, isPlannedOnce: query.where.params.length === 1 };
  }
  return { text: byDays(page, form), values, isPlannedOnce: true };
}

/** What the forms have in common. */
interface Page {
  table: string;
  where: string;
  limit: number;
  keys: readonly SortKey[];
  columns: string;
  /** What follows the cursor; null without one. */
  behind: readonly Part[] | null;
  parameter: (value: unknown, type: string) => string;
}

function ordered({ table, columns, where, keys, limit }: Page, parts: readonly Part[]): string {
  const select = (condition: string) => `select ${columns} from ${table} t where ${where} and ${condition}`;
  return firstOf(
    parts.map(({ condition }) => select(condition)),
    keys,
    limit,
  );
}

function narrow(page: Page, { walkedMax }: Narrow): string {
  const { table, columns, where, keys, limit } = page;
  const parts = page.behind ?? [everything];
  const walk = (of: string, max: number) => {
    const sources = parts.map(({ condition }) => `select ${of} from ${table} t where ${condition}`);
    return firstOf(sources, keys, max);
  };
  const keyColumns = listed(keys.map(({ column }) => column));
  const isBehind = `(${parts.map(({ condition }) => `(${condition})`).join(' or ')})`;
  // OFFSET 0 keeps the order of the page out of the plan for what matches.
  const found = `select ${columns} from ${table} t where ${where} offset 0`;
  const order = orderBy(keys, 't');
  return `with near as materialized (
      select ${columns} from (${walk('t.*', walkedMax)}) t where ${where} ${order} limit ${limit}),
    rest as materialized (
      select (select count(*) from near) < ${limit}
         and exists (select from (${walk(keyColumns, walkedMax + 1)}) t offset ${walkedMax}) as is_needed)
    select * from (
      (select * from near where not (select is_needed from rest))
      union all
      (select * from (select * from (${found}) t where ${isBehind} ${order} limit ${limit}) f where (select is_needed from rest))
    ) t ${order}`;
}

function byDays(page: Page, range: DayRange): string {
  const { table, columns, where, keys, limit } = page;
  const [key] = keys;
  const parts = page.behind ?? startOf(key!);
  const blockOfDay = dayBlock(`t.${range.column}`);
  const heads = (block: string) =>
    parts.map(
      ({ condition, hasValue }) =>
        `(select ${listed(keys.map(({ column }) => column))} from ${table} t
           where ${blockOfDay} ${block} and ${where} and ${condition}
           order by ${blockOrder(blockOfDay, key!, hasValue)}, t.id limit ${limit})`,
    );
  const known = `(select t.* from ${blocksOf(page, range)} block, lateral (${heads('= block').join(' union all ')}) t)`;
  const sources = range.orUnknown ? [known, ...heads('is null')] : [known];
  const ids = `select * from (${sources.join(' union all ')}) t ${orderBy(keys, 't')} limit ${limit}`;
  return `select ${columns} from (${ids}) p join ${table} t on t.id = p.id ${orderBy(keys, 't')}`;
}

/** The first records of several sources together. */
function firstOf(sources: readonly string[], keys: readonly SortKey[], limit: number): string {
  const cut = sources.map((source) => `${source} ${orderBy(keys, 't')} limit ${limit}`);
  if (cut.length === 1) return cut[0]!;
  return `select * from (${cut.map((source) => `(${source})`).join(' union all ')}) t ${orderBy(keys, 't')} limit ${limit}`;
}

/** All records, of which none comes before the value. */
function startingAt({ keys, parameter }: Page, from: string): Part[] {
  const { column, direction, type } = keys[0]!;
  const isBehind = `t.${column} ${direction === 'asc' ? '>=' : '<='} ${parameter(from, type)}`;
  return [
    { condition: isBehind, hasValue: true },
    { condition: `t.${column} is null`, hasValue: false },
  ];
}

/** All records, divided where the order of an index of blocks ends. */
function startOf(key: SortKey): Part[] {
  if (key.direction === 'desc') return [everything];
  return [
    { condition: `t.${key.column} is not null`, hasValue: true },
    { condition: `t.${key.column} is null`, hasValue: false },
  ];
}

/** Disjoint conditions that together hold for exactly the records behind the position. */
function behind(keys: readonly SortKey[], position: CursorPosition, parameter: Page['parameter']): Part[] {
  const parts: Part[] = [];
  const equal: string[] = [];
  for (const [index, key] of keys.entries()) {
    const column = `t.${key.column}`;
    const value = position[index] ?? null;
    if (value === null) {
      equal.push(`${column} is null`);
      continue;
    }
    const placeholder = parameter(value, key.type);
    const hasValue = index === 0 || (position[0] ?? null) !== null;
    const further = `${column} ${key.direction === 'asc' ? '>' : '<'} ${placeholder}`;
    parts.push({ condition: [...equal, further].join(' and '), hasValue });
    if (key.isNullable) {
      parts.push({ condition: [...equal, `${column} is null`].join(' and '), hasValue: hasValue && index > 0 });
    }
    equal.push(`${column} = ${placeholder}`);
  }
  return parts;
}

/** The blocks of the range that lie between the first and the last day of the table. */
function blocksOf({ table, parameter }: Page, { column, first, last }: DayRange): string {
  const extreme = (name: 'min' | 'max') => `(select ${name}(${column}) from ${table})`;
  const from = first ? `greatest(${parameter(first, 'date')}, ${extreme('min')})` : extreme('min');
  const to = last ? `least(${parameter(last, 'date')}, ${extreme('max')})` : extreme('max');
  return `generate_series(${dayBlock(from)}, ${dayBlock(to)})`;
}

/** The order of one block, written as its index has it, read forwards or, for ascending values, backwards. */
function blockOrder(block: string, key: SortKey, hasValue: boolean): string {
  const isBackwards = key.direction === 'asc' && hasValue;
  return isBackwards
    ? `${block} desc nulls first, t.${key.column} asc nulls first`
    : `${block}, t.${key.column} desc nulls last`;
}

function listed(columns: readonly string[]): string {
  return columns.map((name) => `t.${name}`).join(', ');
}

/** Columns that are never null leave the nulls to the default, so that the order is that of their plain index. */
function orderBy(keys: readonly SortKey[], alias: string): string {
  const order = keys.map((key) => `${alias}.${key.column} ${key.direction}${key.isNullable ? ' nulls last' : ''}`);
  return `order by ${order.join(', ')}`;
}
