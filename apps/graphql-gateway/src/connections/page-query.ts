// The one SQL statement of a page: keyset paging over any list of sort keys, nulls last in both directions, ties by id.
// After a cursor, "everything behind it" is the union of disjoint ranges, each in index order and each cut at the page
// size; a single row comparison could not use the indexes, because nulls sort last in both directions.
import type { Statement } from '../data-store/data-store.js';
import { dayBlock } from '../data-tables/day-block.js';
import { idBlock, idBlockSize } from '../data-tables/id-block.js';
import type { CursorPosition } from './page-cursor.js';
import { orderKeys, pageColumns, type SortKey } from './page-order.js';

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
  /** Records without a day can be found, too. */
  orUnknown?: boolean;
}

/** Blocks of ids, of which the first holds the position that the page begins behind, if there is one. */
export interface IdBlocks {
  first: bigint;
  last: bigint;
  /** How records behind the blocks are come by, should these not fill the page. */
  rest: 'ordered' | 'narrow';
}

/** No record has a first key before this value; it may have none. */
export interface OrderedFrom {
  from: string;
}

/**
 * `ordered`, or `OrderedFrom`: PostgreSQL may walk an index in the order of the page. `narrow`: few records match, so they
 * are found first and sorted then. A `DayRange`: the page is put together from the first records of each block of its days,
 * which an index holds in the order of the one sort key, another date (data-tables/0006); the rows of the page alone are read
 * from the table. `IdBlocks`, for pages in the order of ids: an index that holds blocks of ids besides what the filter asks for
 * finds the records of these (data-tables/0007).
 * `covered`, for the same order: what the filter asks for is in an index by id, so that this alone is walked (data-tables/0009).
 */
export type PageForm = 'ordered' | 'narrow' | 'covered' | OrderedFrom | DayRange | IdBlocks;

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
const idMax = 2n ** 63n - 1n;

export function pageStatement(query: PageQuery): Statement {
  const page = new PageParts(query);
  const { form = 'ordered' } = query;
  if (form === 'narrow') return page.statement(narrow(page));
  if (form === 'ordered') return page.statement(ordered(page, page.behind));
  if (form === 'covered') return page.statement(page.rowsOf(page.walked(page.behind?.[0]!.condition, 't.id')));
  if ('from' in form) return page.statement(ordered(page, page.behind ?? startingAt(page, form.from)));
  return page.statement('column' in form ? byDays(page, form) : byIds(page, form), true);
}

/** What the forms put together. */
class PageParts {
  readonly table: string;
  readonly where: string;
  readonly limit: number;
  readonly keys: readonly SortKey[];
  readonly columns: string;
  /** What lies behind the position; null without one. */
  readonly behind: readonly Part[] | null;
  private readonly values: unknown[];

  constructor({ table, columns, where, sort, after, limit }: PageQuery) {
    this.table = table;
    this.where = where.sql;
    this.limit = limit;
    this.keys = orderKeys(sort);
    this.columns = listed(pageColumns(columns, sort));
    this.values = [...where.params];
    const position = after && this.keys.map(({ type }, index) => this.parameterOrNull(after[index] ?? null, type));
    this.behind = position && behind(this.keys, position);
  }

  parameter(value: unknown, type: string): string {
    return `$${this.values.push(value)}::${type}`;
  }

  /** Walked to in the order of the page, if PostgreSQL thinks so. */
  walked(condition = 'true', columns = this.columns): string {
    const { table, where, limit } = this;
    return `select ${columns} from ${table} t where ${where} and ${condition} order by ${this.order('t')} limit ${limit}`;
  }

  /** `is true` keeps PostgreSQL from finding all that matches first. */
  walkedById(condition: string): string {
    const { columns, table, where, limit } = this;
    return `select ${columns} from ${table} t where (${where}) is true and ${condition} order by t.id limit ${limit}`;
  }

  /** OFFSET 0 is a fence: what matches is found in the cheapest way, whatever the order of the page is. */
  found(condition = 'true', outside = 'true'): string {
    const { columns, table, where, limit } = this;
    const all = `select ${columns} from ${table} t where ${where} and ${condition} offset 0`;
    return `select ${columns} from (${all}) t where ${outside} order by ${this.order('t')} limit ${limit}`;
  }

  /** The first of all that the sources have. */
  firstOf(sources: readonly string[]): string {
    return `select * from (${either(sources)}) p order by ${this.order('p')} limit ${this.limit}`;
  }

  /** Of the records with these ids. */
  rowsOf(ids: string): string {
    const { columns, table } = this;
    return `select ${columns} from (${ids}) p join ${table} t on t.id = p.id order by ${this.order('t')}`;
  }

  order(alias: string): string {
    return this.keys.map((key) => orderOf(key, alias)).join(', ');
  }

  statement(text: string, isPlannedOnce = false): Statement {
    return { text, values: this.values, isPlannedOnce };
  }

  private parameterOrNull(value: string | null, type: string): string | null {
    return value === null ? null : this.parameter(value, type);
  }
}

function narrow(page: PageParts): string {
  const parts = page.behind?.map(({ condition }) => `(${condition})`);
  return page.found('true', parts && `(${parts.join(' or ')})`);
}

function ordered(page: PageParts, parts: readonly Part[] | null): string {
  const sources = parts?.map(({ condition }) => page.walked(condition)) ?? [page.walked()];
  return sources.length === 1 ? sources[0]! : page.firstOf(sources);
}

function byDays(page: PageParts, range: DayRange): string {
  const { table, keys, limit } = page;
  const [key] = keys;
  const parts = page.behind ?? startOf(key!);
  const blockOfDay = dayBlock(`t.${range.column}`);
  const heads = (block: string) =>
    parts.map(
      ({ condition, hasValue }) =>
        `select ${listed(keys.map(({ column }) => column))} from ${table} t
          where ${blockOfDay} ${block} and ${page.where} and ${condition}
          order by ${blockOrderOf(blockOfDay, key!, hasValue)}, t.id limit ${limit}`,
    );
  const days = blocksOf(table, range, (day) => page.parameter(day, 'date'));
  const known = `select t.* from ${days} block, lateral (${either(heads('= block'))}) t`;
  return page.rowsOf(page.firstOf(range.orUnknown ? [known, ...heads('is null')] : [known]));
}

function byIds(page: PageParts, { first, last, rest }: IdBlocks): string {
  const { table, limit, behind } = page;
  const blocks = Array.from({ length: Number(last - first) + 1 }, (_, index) => first + BigInt(index));
  const end = (last + 1n) * idBlockSize - 1n;
  const inBlocks = `${idBlock('t.id')} && ${page.parameter(`{${blocks.join()}}`, 'bigint[]')}`;
  const head = page.found(inBlocks, behind?.[0]!.condition);
  const isBehind = `> ${page.parameter(String(end < idMax ? end : idMax), 'bigint')}`;
  // Nothing is looked for behind the blocks unless it is wanted, and there is something.
  const isWanted = `(select count(*) from head) < ${limit} and exists (select from ${table} where id ${isBehind})`;
  const sources = [
    'select * from head',
    rest === 'narrow' ? page.found(isWanted, `t.id ${isBehind}`) : page.walkedById(`t.id ${isBehind} and ${isWanted}`),
  ];
  // Without a position the first block is that of the least id which the statistics know of: few come before it, if any.
  if (!behind) sources.push(page.walkedById(`t.id < ${page.parameter(String(first * idBlockSize), 'bigint')}`));
  return `with head as materialized (${head}) ${page.firstOf(sources)}`;
}

/** All records, of which none comes before the value. */
function startingAt(page: PageParts, from: string): Part[] {
  const { column, direction, type } = page.keys[0]!;
  const isBehind = `t.${column} ${direction === 'asc' ? '>=' : '<='} ${page.parameter(from, type)}`;
  return [
    { condition: isBehind, hasValue: true },
    { condition: `t.${column} is null`, hasValue: false },
  ];
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

/** The order of one block, said as its index has it read forwards or, ascending, backwards. */
function blockOrderOf(block: string, key: SortKey, hasValue: boolean): string {
  const isBackwards = key.direction === 'asc' && hasValue;
  return isBackwards
    ? `${block} desc nulls first, t.${key.column} asc nulls first`
    : `${block}, t.${key.column} desc nulls last`;
}

function either(sources: readonly string[]): string {
  return sources.map((source) => `(${source})`).join(' union all ');
}

function listed(columns: readonly string[]): string {
  return columns.map((name) => `t.${name}`).join(', ');
}

/** Columns that are never null leave the nulls to the default, so that the order is that of their plain index. */
function orderOf(key: SortKey, alias: string): string {
  return `${alias}.${key.column} ${key.direction}${key.isNullable ? ' nulls last' : ''}`;
}
