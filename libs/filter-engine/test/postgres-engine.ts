// PostgreSQL as an engine: one statement gives ids, count and version. The gateway's own statements read the rows of a
// page, too; this one is the contract and no more.
import { compileFilter } from '@tradewind/filters';
import type pg from 'pg';
import {
  type AnswerableQuery,
  type Entity,
  type FilterAnswer,
  FilterEngine,
  type FilterQuery,
  type Unanswered,
} from '../src/index.js';
import { sortedColumns } from '../src/sorted-columns.js';

export class PostgresEngine extends FilterEngine {
  readonly name = 'postgres';
  private readonly versions = new Map<Entity, bigint>();

  constructor(private readonly client: pg.Client) {
    super();
  }

  override canAnswer({ filter, person, sort }: AnswerableQuery): boolean {
    if (person) return false;
    return sort.every(
      ({ column }) => column === 'id' || sortedColumns[filter.entity].some((each) => each.column === column),
    );
  }

  override version(entity: Entity): bigint | undefined {
    return this.versions.get(entity);
  }

  async poll(entity: Entity): Promise<void> {
    const { rows } = await this.client.query<{ version: string }>(
      'select version from data_version where entity = $1',
      [entity],
    );
    this.versions.set(entity, BigInt(rows[0]!.version));
  }

  override async search(query: FilterQuery): Promise<FilterAnswer | Unanswered> {
    const { filter, sort, after, limit, isCounted, since, upTo, except } = query;
    const { sql, params } = compileFilter(filter);
    const values: unknown[] = [...params];
    const parameter = (value: unknown, type: string) => `$${values.push(value)}::${type}`;
    const matches = `${sql} and not t.id = any(${parameter(except.map(String), 'bigint[]')})`;
    const order = sort.map(({ column, direction }) => `t.${column} ${direction} nulls last`).join(', ');
    const page = `select t.id from ${filter.entity} t where ${matches} and ${after ? behind(sort, after, parameter) : 'true'}
      order by ${order} limit ${parameter(limit, 'bigint')}`;
    const { rows } = await this.client.query<{ ids: string[]; count: string; version: string }>(
      `select array(${page})::text[] as ids, (select count(*) from ${filter.entity} t where ${matches}) as count, version
       from data_version where entity = '${filter.entity}'`,
      values,
    );
    const version = BigInt(rows[0]!.version);
    if (version < since || version > upTo) return 'behind';
    const ids = rows[0]!.ids.map(BigInt);
    return { ids, ...(isCounted && { count: Number(rows[0]!.count) }), version };
  }
}

/** What follows the position; nulls are last in both directions. */
function behind(
  sort: FilterQuery['sort'],
  position: NonNullable<FilterQuery['after']>,
  parameter: (value: unknown, type: string) => string,
): string {
  const equal: string[] = [];
  const parts: string[] = [];
  for (const [place, { column, type, direction }] of sort.entries()) {
    const value = position[place] ?? null;
    if (value !== null) {
      const given = parameter(value, type);
      const further = `(t.${column} ${direction === 'asc' ? '>' : '<'} ${given} or t.${column} is null)`;
      parts.push([...equal, further].join(' and '));
      equal.push(`t.${column} = ${given}`);
    } else equal.push(`t.${column} is null`);
  }
  return `(${parts.map((part) => `(${part})`).join(' or ') || 'false'})`;
}
